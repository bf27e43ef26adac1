# Compares both versions, writes the summary of the job, and ends with 1 where the head is worse, 2 where nothing can be told.
set -uo pipefail
place="$RUNNER_TEMP/node-checkup"
repository=$PWD
cd "$place" || exit 2
more=() # written below so that an empty list is none in the bash of macOS, too
while IFS= read -r line; do
  [ -z "$line" ] || more+=("$line")
done <<<"$ARGUMENTS"
PATH="$place/environment/bin:$PATH" node-checkup compare --folders "base/$FOLDER" "head/$FOLDER" \
  --path "$ASKED_PATH" --pairs "$PAIRS" --page comparison.html --markdown summary.md --json ${more[@]+"${more[@]}"} \
  -- "$COMMAND" >comparison.json
code=$?
if [ -s summary.md ]; then
  cat summary.md >>"$GITHUB_STEP_SUMMARY"
else
  message=$(node -p 'JSON.parse(fs.readFileSync("comparison.json", "utf8")).message' 2>/dev/null || echo "see the log")
  printf '## ⚠️ The versions could not be compared\n\n```text\n%s\n```\n' "$message" >>"$GITHUB_STEP_SUMMARY"
fi
verdict=$(node -p 'JSON.parse(fs.readFileSync("comparison.json", "utf8")).verdict' 2>/dev/null || echo "not examined")
{
  echo "verdict=$verdict"
  echo "report=$place/comparison.html"
  echo "json=$place/comparison.json"
} >>"$GITHUB_OUTPUT"
cd "$repository" || exit 2
git worktree remove --force "$place/base"
git worktree remove --force "$place/head"
case $code in
  0) ;;
  1) echo "::error::The head is worse than the base: see the summary of this job." ;;
  *) echo "::error::The versions could not be compared: see the summary and the log of this job." ;;
esac
if [ "$code" = 1 ] && [ "$FAIL_ON_WORSE" != true ]; then code=0; fi
exit "$code"
