#!/bin/sh
# Build the wheel, install it alone in an empty environment, and run every line of the README there.
# Takes minutes, most of them for installing. Prints the time and the size of the installation.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/build"
"$folder/build/bin/python" -m pip install --quiet --disable-pip-version-check build
"$folder/build/bin/python" -m build --wheel --outdir "$folder/dist" "$root"
python3 -m venv "$folder/alone"
pip="$folder/alone/bin/python -m pip install --quiet --disable-pip-version-check"
wheel=$(ls "$folder"/dist/*.whl)
size() { du -sm "$folder"/alone/lib/python*/site-packages | cut -f1; }
before=$(size) start=$(date +%s)
$pip "$wheel"
echo "headcount: $(($(size) - before)) MB in $(($(date +%s) - start)) s"
$pip "$wheel[report]"
echo "headcount[report]: $(($(size) - before)) MB"
cd "$folder"
"$folder/alone/bin/python" "$root/tests/readme_lines.py" "$root/README.md"
