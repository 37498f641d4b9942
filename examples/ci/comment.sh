#!/bin/sh
# Writes the output of review.sh as a comment on a pull request of GitHub: sh comment.sh FILE. Replaces the comment of an
# earlier run. Without a difference and without an earlier comment, it writes none.
# Needs gh, and the variables GH_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST (the number).
set -eu
marker='<!-- kube-rules -->'
issues="repos/$GITHUB_REPOSITORY/issues"
filter=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
printf '%s\n' "$marker" '### Packets to Services' | cat - "$1" >"$body"

found=$(gh api --paginate --jq "$filter" "$issues/$PULL_REQUEST/comments")
comment=$(echo "$found" | sed -n 1p)
if [ -n "$comment" ]; then
  gh api --silent --method PATCH --field "body=@$body" "$issues/comments/$comment"
elif ! sed -n 1p "$1" | grep -q '^no difference'; then
  gh api --silent --method POST --field "body=@$body" "$issues/$PULL_REQUEST/comments"
fi
