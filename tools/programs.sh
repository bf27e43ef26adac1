#!/bin/sh
# Installs the optional programs that some series use: from the system's packages, and two from npm into tools/loadtools.
# Without them the book builds all the same: a comparison says which series it leaves out, and what cannot do without
# a program shows the reference run. Prints what it cannot install, and never fails for that.
set -u
# Debian puts nginx where users have no PATH to.
PATH=$PATH:/usr/sbin:/usr/local/sbin

# program:Debian package:Homebrew formula
programs="wrk:wrk:wrk nginx:nginx:nginx ab:apache2-utils:httpd hey:hey:hey thin:thin:thin"

has() { command -v "$1" >/dev/null 2>&1; }

if has apt-get; then
  manager=apt; field=2
  if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
elif has brew; then
  manager=brew; field=3; sudo=
else
  manager=; field=2; sudo=
fi

missing=
for entry in $programs; do
  has "${entry%%:*}" || missing="$missing $(echo "$entry" | cut -d: -f"$field")"
done
brought() { cmp -s "$1/package-lock.json" "$1/node_modules/.made"; }
from_npm() {
  if brought "$1"; then return; fi
  echo "Bringing artillery and pm2 from npm (600 MB on disk) ..."
  if (cd "$1" && npm ci --silent --no-progress); then
    cp "$1/package-lock.json" "$1/node_modules/.made" && echo "installed: artillery, pm2"
  else
    rm -rf "$1/node_modules"  # half of it would look like all of it
    echo "not available here: artillery, pm2"
  fi
}
if [ -z "$missing" ] && brought tools/loadtools; then echo "All optional programs are here."; exit 0; fi
from_npm tools/loadtools
[ -n "$missing" ] || exit 0
if [ -z "$manager" ] || { [ -n "$sudo" ] && ! has sudo; }; then
  echo "Not installed:$missing. Install them with your system's package manager, as its administrator."
  exit 0
fi

apt() {
  if [ -n "$sudo" ]; then set -- sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@"
  else set -- env DEBIAN_FRONTEND=noninteractive apt-get "$@"; fi
  "$@" </dev/null
}
install() {
  case $manager:$1 in
    apt:*) apt install -y -qq --no-install-recommends "$1" >/dev/null ;;
    brew:*) brew install --quiet "$1" >/dev/null ;;
  esac
}
# Without the newest lists the old ones may still do.
[ "$manager" != apt ] || apt update -qq || true
# One by one: a package that this release does not have must not keep the others away.
for package in $missing; do
  if install "$package"; then echo "installed: $package"; else echo "not available here: $package"; fi
done
# Debian starts nginx when it is installed; nothing else may serve while we measure.
case "$manager $missing " in
  apt*" nginx "*) $sudo service nginx stop >/dev/null 2>&1 || true ;;
esac
exit 0
