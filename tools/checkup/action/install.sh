# Installs node-checkup of this very commit into the runner's temporary folder.
set -euo pipefail
place="$RUNNER_TEMP/node-checkup"
python=""
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "::error::node-checkup needs Python 3.11 or newer: add actions/setup-python before it."
  exit 2
fi
if ! command -v node >/dev/null; then
  echo "::error::node-checkup needs Node 20 or newer: add actions/setup-node before it."
  exit 2
fi
mkdir -p "$place"
"$python" -m venv "$place/environment"
"$place/environment/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "$GITHUB_ACTION_PATH/.."
"$place/environment/bin/node-checkup" --version
