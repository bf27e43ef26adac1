#!/bin/sh
# Installs the optional programs that some series use, and the browser of `make test`, from the system's packages.
# Without them the book builds all the same: a comparison says which series it leaves out, and what cannot do without
# a program shows the reference run. Prints what it cannot install, and never fails for that.
set -u
# Debian puts nginx where users have no PATH to.
PATH=$PATH:/usr/sbin:/usr/local/sbin

# program:Debian package:Homebrew formula
programs="wrk:wrk:wrk nginx:nginx:nginx ab:apache2-utils:httpd hey:hey:hey thin:thin:thin"
mac_chrome="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

has() { command -v "$1" >/dev/null 2>&1; }
browser() { has chromium || has chromium-browser || has google-chrome-stable || has google-chrome || has "$mac_chrome"; }

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
browser || missing="$missing chromium"
if [ -z "$missing" ]; then echo "All optional programs are here."; exit 0; fi
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
    brew:chromium) brew install --quiet --cask google-chrome >/dev/null ;;
    brew:*) brew install --quiet "$1" >/dev/null ;;
  esac
}
# Without the newest lists the old ones may still do.
[ "$manager" != apt ] || apt update -qq || true
# One by one: a package that this release does not have must not keep the others away.
for package in $missing; do
  done=
  case $manager:$package in
    apt:chromium) names="chromium chromium-browser google-chrome-stable" ;;  # Debian's, Ubuntu's, Google's
    *) names=$package ;;
  esac
  for name in $names; do
    if install "$name"; then done=$name; break; fi
  done
  if [ -n "$done" ]; then echo "installed: $done"; else echo "not available here: $package"; fi
done
# Debian starts nginx when it is installed; nothing else may serve while we measure.
case "$manager $missing " in
  apt*" nginx "*) $sudo service nginx stop >/dev/null 2>&1 || true ;;
esac
exit 0
