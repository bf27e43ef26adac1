#!/bin/sh
# Judges what is committed here, in sandboxes, as the course does: sh check.sh COURSE [OUT]
# COURSE is the folder of Node.js I/O, Measured; OUT gets a page for each exercise (default: a folder in /tmp, which is named).
set -eu
course=${1:?"Say where the course is: sh check.sh ../nodejs-io-measured"}
[ -f "$course/lab/grading/run.py" ] || { echo "$course is not the folder of the course." >&2; exit 2; }
top=$(git rev-parse --show-toplevel)
student=$(cat "$top/student.txt" 2>/dev/null | tr -d '[:space:]')
case ${student:=student} in
  *[!A-Za-z0-9._@+-]*|.*|-*) echo "student.txt is not an id: letters, digits and . _ - + @" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=${2:-$(mktemp -d)}
mkdir -p "$work/hand-ins/$student" "$out"
out=$(cd "$out" && pwd)
[ -z "$(git -C "$top" status --porcelain)" ] || echo "What is not committed is not judged: git status lists it." >&2
GIT_INDEX_FILE=$work/index git -C "$top" -c core.symlinks=false --work-tree="$work/hand-ins/$student" checkout --force HEAD -- .
summary=${GITHUB_STEP_SUMMARY:-$out/summary.md}
code=0
make --no-print-directory -C "$course" grade FOLDER="$work/hand-ins" ARGS="--out '$out' --summary '$out/summary.part'" || code=$?
if [ -f "$out/summary.part" ]; then cat "$out/summary.part" >>"$summary"; rm "$out/summary.part"; fi
echo "A page for each exercise: $out"
exit "$code"
