"""Run the command line as ``python -m headcount``."""

from headcount.cli import main

if __name__ == "__main__":
    main()
