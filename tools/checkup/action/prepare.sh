# Checks out base and head beside the repository, and prepares both: each has its own packages and its own build.
set -euo pipefail
place="$RUNNER_TEMP/node-checkup"

fetched() { # a revision that a shallow clone lacks is fetched
  git rev-parse --verify --quiet "$1^{commit}" >/dev/null || git fetch --quiet --depth=1 origin "$1"
  git rev-parse --verify --quiet "$1^{commit}" || git rev-parse --verify FETCH_HEAD
}

for version in base head; do
  if [ "$version" = base ]; then revision=$BASE; else revision=$HEAD; fi
  if [ -z "$revision" ] || [ -z "${revision//0/}" ]; then
    echo "::error::node-checkup has no revision for the $version: give it as 'with: { $version: main }'."
    exit 2
  fi
  commit=$(fetched "$revision") || {
    echo "::error::node-checkup cannot find the $version, $revision: check out with fetch-depth: 0."
    exit 2
  }
  git worktree add --quiet --force --detach "$place/$version" "$commit"
  if [ ! -d "$place/$version/$FOLDER" ]; then
    echo "::error::There is no folder $FOLDER in the $version, $commit: correct 'folder'."
    exit 2
  fi
  (
    cd "$place/$version/$FOLDER"
    echo "::group::Prepare the $version, $commit"
    if [ -n "$PREPARE" ]; then
      bash -euo pipefail -c "$PREPARE"
    elif [ -f package-lock.json ]; then
      npm ci --no-audit --no-fund
    fi
    echo "::endgroup::"
  )
done
