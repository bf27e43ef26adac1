#!/bin/sh
# Brings Nodes from npm, each into a folder named after its major: sh tools/nodes/install.sh [22 24 ...], all without
# names. What is there stays; a second call takes a moment. npm's packages for one system each are asked for by name,
# because `node` itself would have to run a script while it is installed. For a few systems npm has no build of the
# newest release: then the newest there is of that major.
# To add Node 28: mkdir 28, a package.json like that of 26, then `npm install --package-lock-only` in this folder.
set -eu
cd "$(dirname "$0")"
system=$(uname -s)-$(uname -m)
case $system in
  Linux-x86_64) name=linux-x64 ;;
  Linux-aarch64 | Linux-arm64) name=linux-arm64 ;;
  Darwin-x86_64) name=darwin-x64 ;;
  Darwin-arm64) name=darwin-arm64 ;;
  *) name=none ;;
esac

there() { [ "$(cat "$1/node_modules/.made" 2>/dev/null)" = "$(made "$1")" ]; }
made() { echo "$system $(cksum < "$1/package.json")"; }

missing=
kept=
for folder in [0-9]*; do ! there "$folder" || kept="$kept $folder"; done
for major in ${*:-[0-9]*}; do
  [ -f "$major/package.json" ] || { echo "No Node $major is listed in tools/nodes: there are $(echo [0-9]*)." >&2; exit 1; }
  if ! grep -q "\"node-\(bin-\)\{0,1\}$name\"" "$major/package.json"; then
    echo "npm has no Node $major for $system: left out." >&2
  elif ! there "$major"; then
    missing="$missing $major"
  fi
done
[ -n "$missing" ] || exit 0

echo "Bringing Node$missing from npm (each about 45 MB to load, 200 MB on disk) ..."
asked=
for major in $missing $kept; do asked="$asked --workspace=$major"; done  # npm ci begins by removing what is there
npm ci --silent --no-progress $asked || { echo "npm ci failed; run it by hand to see why: cd tools/nodes && npm ci$asked" >&2; exit 1; }
for major in $missing $kept; do
  # A package for one system is optional, so npm says nothing when it cannot load it.
  set -- "$major"/node_modules/node-*/bin/node
  [ -x "$1" ] || { echo "Node $major did not arrive; run it by hand to see why: cd tools/nodes && npm ci$asked" >&2; exit 1; }
  made "$major" > "$major/node_modules/.made"
done
