#!/bin/sh
# Installs the optional programs that some series use, from the system's packages. Without them the book builds all the
# same: those series are drawn from the reference run. Prints what it cannot install, and never fails for that.
set -eu

# program:Debian package:Homebrew formula
programs="wrk:wrk:wrk nginx:nginx:nginx ab:apache2-utils:httpd hey:hey:hey chromium:chromium:-"

if command -v apt-get >/dev/null 2>&1; then
  manager=apt; field=2
  if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
elif command -v brew >/dev/null 2>&1; then
  manager=brew; field=3; sudo=
else
  manager=; field=2
fi

missing=
for entry in $programs; do
  program=${entry%%:*}
  package=$(echo "$entry" | cut -d: -f"$field")
  command -v "$program" >/dev/null 2>&1 || [ "$package" = - ] || missing="$missing $package"
done
if [ -z "$missing" ]; then echo "All optional programs are here."; exit 0; fi
if [ -z "$manager" ] || { [ -n "${sudo:-}" ] && ! command -v sudo >/dev/null 2>&1; }; then
  echo "Not installed:$missing. Install them with your system's package manager, as its administrator."
  exit 0
fi
[ "$manager" = apt ] && $sudo apt-get update -qq
# One by one: a package that this release does not have must not keep the others away.
for package in $missing; do
  case $manager in
    apt) DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null ;;
    brew) brew install --quiet "$package" >/dev/null ;;
  esac && echo "installed: $package" || echo "not available here: $package"
done
# Debian starts nginx when it is installed; nothing else may serve while we measure.
if [ "$manager" = apt ] && echo "$missing" | grep -q nginx; then $sudo service nginx stop >/dev/null 2>&1 || true; fi
