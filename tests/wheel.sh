#!/bin/sh
# Run every command of the README and of the install page in a fresh clone and an empty environment, from
# top to bottom; then build the wheel, install it alone, print time and size, and run the commands again.
# Takes minutes, most of them for installing. WHOLE=--all runs `make test` in the clone, too.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
quiet="-m pip install --quiet --disable-pip-version-check"
python3 -m venv "$folder/build"
if ! "$folder/build/bin/python" $quiet build; then
  echo "no package index can be reached: nothing was installed, and nothing run"
  exit 1
fi
git clone --quiet "$root" "$folder/clone"
python3 -m venv "$folder/empty"
cd "$folder/clone"
python3 tests/readme_lines.py --python "$folder/empty/bin/python" ${WHOLE:-} README.md docs/guide/install.md
"$folder/build/bin/python" -m build --wheel --outdir "$folder/dist" "$root"
python3 -m venv "$folder/alone"
wheel=$(ls "$folder"/dist/*.whl)
size() { du -sm "$folder"/alone/lib/python*/site-packages | cut -f1; }
before=$(size) start=$(date +%s)
"$folder/alone/bin/python" $quiet "$wheel"
echo "headcount: $(($(size) - before)) MB in $(($(date +%s) - start)) s"
"$folder/alone/bin/python" $quiet "$wheel[report]"
echo "headcount[report]: $(($(size) - before)) MB"
mkdir "$folder/run"
cd "$folder/run"
"$folder/alone/bin/python" "$root/tests/readme_lines.py" "$root/README.md"
