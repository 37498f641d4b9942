#!/bin/sh
# Compares the rules that the manifests come to with those that are committed: a reviewer sees what a change does to a node.
# Exit code 1 where they differ. `sh check-rules.sh --update` writes them.
set -eu
cd "$(dirname "$0")"

export PATH="$PWD/node_modules/.bin:$PATH"
rules() {
  kube-rules print -f manifests --node node-1 --mode iptables --family 4 --format save --kubernetes-version 1.34 --strict
}

if [ "${1-}" = --update ]; then
  rules >rules.txt
else
  rules | diff -u rules.txt -
fi
