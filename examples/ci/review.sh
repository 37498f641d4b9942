#!/bin/sh
# Prints as Markdown what a change does to packets: sh review.sh OLD NEW [OPTION...]. OLD and NEW are each a folder of
# manifests, a Helm chart or a kustomization. The options are those of `kube-rules diff`.
# Exit code 0 if the effect is known, whether or not there is one, else 2. KUBE_RULES may name the single file:
# KUBE_RULES='node kube-rules.mjs' sh review.sh OLD NEW
set -eu
PATH="$(cd "$(dirname "$0")" && pwd)/node_modules/.bin:$PATH"
export PATH

old=$1
new=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# place PATH NAME: prints the place of the manifests of a path, after it has rendered a chart or a kustomization.
place() {
  if [ -f "$1/Chart.yaml" ]; then
    helm template release "$1" >"$folder/$2.yaml" || return 2
    echo "$folder/$2.yaml"
  elif [ -f "$1/kustomization.yaml" ] || [ -f "$1/kustomization.yml" ] || [ -f "$1/Kustomization" ]; then
    kubectl kustomize "$1" >"$folder/$2.yaml" || return 2
    echo "$folder/$2.yaml"
  else
    echo "$1"
  fi
}

for path in "$old" "$new"; do
  if [ ! -e "$path" ]; then
    echo "nothing to compare: \`$(basename "$path")\` is only in one of the versions"
    exit 0
  fi
done
before=$(place "$old" old) || exit 2
after=$(place "$new" new) || exit 2
code=0
# shellcheck disable=SC2086 # a command with arguments
${KUBE_RULES:-kube-rules} diff "$before" "$after" --traffic -o markdown "$@" || code=$?
[ "$code" -le 1 ] || exit "$code"
