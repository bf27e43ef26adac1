#!/bin/sh
# Makes .venv and node_modules what the lock files say, and puts both kernels into .venv. Run by every make target;
# takes a moment when nothing is missing. Each step leaves a stamp with what it was made from, so that an interrupted
# one is repeated and a finished one is not.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)

fail() { printf '%s\n' "$*" >&2; exit 1; }
fingerprint() { printf '%s\n' "$@"; cat -- requirements.txt pyproject.toml | cksum; }
is() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }

# One at a time: two pip or npm processes in one folder ruin it.
lock=.setup-lock
waited=0 told=
pid_in() { cat "$1/pid" 2>/dev/null || true; }
# kill -0 also fails for a process of another user.
alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }
stale() {
  if [ -n "$holder" ]; then ! alive "$holder"; else [ "$waited" -gt 10 ]; fi  # nameless: died while it made the lock
}
until mkdir "$lock" 2>/dev/null; do
  [ -d "$lock" ] || fail "Cannot make $here/$lock: is this folder yours to write to?"
  holder=$(pid_in "$lock")
  [ -z "$holder" ] || waited=0
  if stale; then
    # Only one of several that wait can move it; should it have got the lock of the next one, it gives that back.
    if mv "$lock" "$lock.$$" 2>/dev/null; then
      if [ "$(pid_in "$lock.$$")" = "$holder" ]; then rm -rf "$lock.$$"; else mv "$lock.$$" "$lock"; fi
    fi
    continue
  fi
  [ "$told" = "$holder." ] || echo "Waiting for another set-up in this folder (process ${holder:-unknown})." >&2
  told=$holder.
  sleep 2
  waited=$((waited + 2))
done
echo $$ > "$lock/pid"
trap 'rm -rf "$lock"' EXIT
trap 'exit 130' INT TERM

# Node
command -v node >/dev/null 2>&1 || fail "Node is missing: install Node 20 or newer (https://nodejs.org) and run make again."
node=$(node --version)
major=${node#v}; major=${major%%.*}
[ "$major" -ge 20 ] || fail "Node $node is too old: this book needs Node 20 or newer (https://nodejs.org)."
command -v npm >/dev/null 2>&1 || fail "npm is missing: it comes with Node (on Debian and Ubuntu: apt install npm)."

# Python. A working .venv in its own place is kept: a newer python3 on the system is no reason to install everything again.
if ! is .venv/.made "$here" || ! .venv/bin/python -c '' 2>/dev/null; then
  python=
  # Never the .venv that is about to be replaced, even when it is the activated one.
  PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -vxF "$here/.venv/bin" | paste -sd : -)
  for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.10; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      python=$candidate; break
    fi
  done
  [ -n "$python" ] || fail "Python 3.10 to 3.13 is missing (python3 is: $(python3 --version 2>&1 || true)). Install one, or name it: make PYTHON=/path/to/python3.12"
  # Debian splits venv off; without it the module is there but cannot make an environment with pip in it.
  "$python" -c 'import venv, ensurepip' 2>/dev/null \
    || fail "Python's venv module is missing. On Debian and Ubuntu: apt install $("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
  echo "Making .venv with $("$python" --version) ..."
  rm -rf .venv
  "$python" -m venv .venv
  # Our package.json says that .js files are modules. Scripts inside Python packages are not.
  echo '{"type": "commonjs"}' > .venv/package.json
  printf '%s\n' "$here" > .venv/.made
fi
if ! is .venv/.installed "$(fingerprint "$here")"; then
  echo "Installing Python packages (about a minute) ..."
  export PIP_DISABLE_PIP_VERSION_CHECK=1
  .venv/bin/python -m pip install --quiet --no-deps -r requirements.txt
  .venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
  .venv/bin/python -m pip check >/dev/null || fail "The installed packages do not fit together: .venv/bin/python -m pip check"
  fingerprint "$here" > .venv/.installed
fi

# Node packages
modules="$here $major $(cat package.json package-lock.json .npmrc lab/node/*/package.json | cksum)"
if ! is node_modules/.made "$modules"; then
  echo "Installing Node packages ..."
  npm ci --silent --no-progress || fail "npm ci failed; run it by hand to see why: npm ci"
  printf '%s\n' "$modules" > node_modules/.made
fi

# Kernels, inside .venv and nowhere else
kernels="$here $(command -v node) $node $(cat lab/kernelspec.py | cksum)"
if ! is .venv/.kernels "$kernels"; then
  .venv/bin/python -m lab.kernelspec
  printf '%s\n' "$kernels" > .venv/.kernels
fi
