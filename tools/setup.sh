#!/bin/sh
# Makes .venv and node_modules what the lock files say, and puts both kernels into .venv. Run by every make target;
# takes a moment when nothing is missing. Each step leaves a stamp with what it was made from, so that an interrupted
# one is repeated and a finished one is not.
#   sh tools/setup.sh [postgres] [pycnic] [lab] [preview] [dev] [hub] [classroom]
# the book's packages, and those that only one chapter (the first two) or these commands need
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
oldest=11 newest=15  # of the Pythons 3.x that `make lock` asks for wheels

fail() { printf '%s\n' "$*" >&2; exit 1; }
is() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }

case $here in
  *[:$]*) fail "This folder is $here, and neither PATH nor Python's packaging tools can do with a colon or a dollar sign: give it another name." ;;
  *\\*) fail "This folder is $here, and Node loads no module from below a backslash: give it another name." ;;
esac
# nbgrader's gradebook is made with a file of alembic's, in which a per cent sign of this path would begin a name.
case " $* :$here" in *" classroom "*:*%*) fail "This folder is $here, and nbgrader opens no gradebook from below a per cent sign: give it another name. Only a class needs that; the book works here." ;; esac
for layer; do
  [ -f "requirements/$layer.txt" ] || fail "tools/setup.sh knows $(cd requirements && echo *.txt | sed "s/\.txt//g; s/ /, /g"), not $layer."
done

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

# Node. Which versions is said in lab/processes/nodes.py, and which one is meant as there.
least=$(sed -n 's/^LEAST = \([0-9]*\).*/\1/p' lab/processes/nodes.py)
supported=$(sed -n 's/^SUPPORTED = (\(.*\), \(.*\)).*/\1 or \2/p' lab/processes/nodes.py)
if [ -n "${LAB_NODE:-}" ]; then
  program=$(command -v "$LAB_NODE") || fail "LAB_NODE=$LAB_NODE is not there or not executable: set it to the path of Node $supported, or unset it."
else
  program=$(command -v node) || fail "Node is missing: install Node $supported (https://nodejs.org) and run make again, or set LAB_NODE to the path of one."
fi
node=$("$program" --version 2>&1) || true
major=${node#v}; major=${major%%.*}
case $major in *[!0-9]*|"") fail "$program is not Node: asked for its version, it said: ${node:-nothing}" ;; esac
[ "$major" -ge "$least" ] || fail "Node $node is too old: this book needs Node $supported (https://nodejs.org)."
command -v npm >/dev/null 2>&1 || fail "npm is missing: it comes with Node (on Debian and Ubuntu: apt install npm)."

# Python. A working .venv in its own place is kept: a newer python3 on the system is no reason to install everything again.
is_python() { "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $2))" 2>/dev/null; }
if ! is .venv/.made "$here" || ! is_python .venv/bin/python 99; then
  # Never the .venv that is about to be replaced, even when it is the activated one.
  PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -vxF "$here/.venv/bin" | paste -sd : -)
  python=
  if [ -n "${PYTHON:-}" ]; then
    is_python "$PYTHON" 99 || fail "PYTHON=$PYTHON is not Python 3.$oldest or newer (it is: $("$PYTHON" --version 2>&1 || true))."
    python=$PYTHON
  else
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python3.15; do
      if is_python "$candidate" $newest; then python=$candidate; break; fi
    done
    if [ -z "$python" ] && is_python python3 99; then python=python3; fi
  fi
  [ -n "$python" ] || fail "Python 3.$oldest to 3.$newest is missing (python3 is: $(python3 --version 2>&1 || true)). Install one, or name it: make PYTHON=/path/to/python3.$newest"
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

# Only wheels: a machine without a compiler would say much, late, and not what is wrong. Packages are compiled when they
# are imported first, which most of their modules never are: half the time and a third of the space.
pip() { .venv/bin/python -m pip "$@"; }
pip_install() {
  pip install --quiet --no-deps --no-compile --only-binary :all: --no-binary pycnic --no-binary bobo --no-build-isolation "$@"
}
export PIP_DISABLE_PIP_VERSION_CHECK=1
# What was installed once stays in step: with the pins of another day it might not fit the book's any more.
layers=book
for layer in postgres pycnic lab preview dev hub classroom; do
  case " $* " in *" $layer "*) wanted=yes ;; *) wanted= ;; esac
  [ -z "$wanted" ] && [ ! -e ".venv/.installed-$layer" ] || layers="$layers $layer"
done
all=
for layer in $layers; do
  if [ "$layer" = book ]; then pins=requirements.txt; else pins=requirements/$layer.txt; fi
  made="$here $(cat -- "$pins" pyproject.toml | cksum)"
  all="$all$layer $made "
  ! is ".venv/.installed-$layer" "$made" || continue
  [ ! -e ".venv/.installed-$layer" ] || : > ".venv/.installed-$layer"  # begun; it stays in the list
  echo "Installing Python packages: $layer ..."
  # pycnic and bobo come as source only: setuptools, which builds them, is one of the book's packages.
  pip_install -r "$pins" || {
    is_python .venv/bin/python $newest || fail "$(.venv/bin/python --version) is newer than what this book's packages are made for, Python 3.$oldest to 3.$newest: remove .venv, and name one of those: make PYTHON=/path/to/python3.$newest"
    fail "pip could not install what $pins names; the reason is above. Run make again: it continues from there."
  }
  [ "$layer" != book ] || pip_install --editable .
  printf '%s\n' "$made" > ".venv/.installed-$layer"
done
if ! is .venv/.checked "$all"; then
  pip check >/dev/null || fail "The installed packages do not fit together (which: .venv/bin/python -m pip check). Remove .venv and run make again."
  printf '%s\n' "$all" > .venv/.checked
fi

# Node packages. Those for development stay once they are there: npm would install all again.
level=book
case " $* " in *" dev "*) level=dev ;; esac
case $(cat node_modules/.made 2>/dev/null) in "dev "*) level=dev ;; esac
modules="$level $here $(uname -sm) $(cat package.json package-lock.json .npmrc lab/node/*/package.json | cksum)"
if ! is node_modules/.made "$modules"; then
  echo "Installing Node packages: $level ..."
  omit=--omit=dev
  [ "$level" = book ] || omit=--include=dev
  npm ci $omit --no-progress --loglevel=error || fail "npm ci failed; the reason is above. Run make again, or try it by hand: npm ci"
  # zeromq brings its binaries for every system and processor along.
  for binaries in node_modules/zeromq6/build/*/*/; do
    case $(uname -sm):$binaries in
      "Linux x86_64:"*/linux/x64/|"Linux aarch64:"*/linux/arm64/|"Darwin x86_64:"*/darwin/x64/|"Darwin arm64:"*/darwin/arm64/) ;;
      *) rm -rf "$binaries"; rmdir "${binaries%/*/}" 2>/dev/null || : ;;
    esac
  done
  printf '%s\n' "$modules" > node_modules/.made
fi

# Kernels, inside .venv and nowhere else
kernels="$here $program $node $(cat lab/kernels/kernelspec.py | cksum)"
if ! is .venv/.kernels "$kernels"; then
  # The first to import IPython, which Python 3.14 compiles with a remark on its style.
  .venv/bin/python -W ignore::SyntaxWarning -m lab.kernels.kernelspec
  printf '%s\n' "$kernels" > .venv/.kernels
fi

# Live pages: what a browser runs of them, bundled once, with packages apart from those of the book; and the server's part.
case " $* " in *" lab "*|*" hub "*|*" classroom "*)
  packages=$(cat tools/live/package.json tools/live/package-lock.json | cksum)
  if ! is tools/live/node_modules/.made "$packages"; then
    echo "Installing Node packages: live ..."
    (cd tools/live && npm ci --omit=dev --no-progress --loglevel=error) || fail "npm ci failed in tools/live; the reason is above. Run make again."
    printf '%s\n' "$packages" > tools/live/node_modules/.made
  fi
  sources="$packages $(cat tools/live/bundle.mjs lab/live/client/* lab/simulator/page/code.css | cksum)"
  if ! is tools/live/bundle/.made "$sources"; then
    "$program" tools/live/bundle.mjs || fail "What live pages run could not be bundled; the reason is above."
    mkdir -p tools/live/bundle
    printf '%s\n' "$sources" > tools/live/bundle/.made
  fi
  enabled=.venv/etc/jupyter/jupyter_server_config.d
  mkdir -p "$enabled"
  printf '{"ServerApp": {"jpserver_extensions": {"lab.live": true}}}\n' > "$enabled/lab.live.json"
  mkdir -p .venv/share/jupyter/labextensions
  ln -sfn "$here/lab/live/notebook" .venv/share/jupyter/labextensions/lab-glued
esac
