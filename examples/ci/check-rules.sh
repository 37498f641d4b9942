#!/bin/sh
# Compares the rules for the manifests with the committed rules, so that a reviewer sees what a change does to a node.
# Exit code 1 if they differ. The mode and the version are fixed, so that only a change of the manifests changes rules.
# `sh check-rules.sh --update` writes them. Cluster IPs and endpoints are assumed.
set -eu
cd "$(dirname "$0")"

export PATH="$PWD/node_modules/.bin:$PATH"
rules() {
  # shellcheck disable=SC2086 # a command with arguments
  ${KUBE_RULES:-kube-rules} print -f manifests --node node-1 --mode iptables --family 4 --format save --kubernetes-version 1.34 --strict
}

if [ "${1-}" = --update ]; then
  rules >rules.txt
else
  rules | diff -u rules.txt -
fi
