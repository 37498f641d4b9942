#!/bin/sh
# Prints as Markdown what a change of manifests does to packets: sh review.sh OLD NEW (two folders of manifests).
# Exit code 0 if that is known, whether or not a packet is handled differently, else 2.
set -eu
export PATH="$(dirname "$0")/node_modules/.bin:$PATH"

code=0
kube-rules diff "$1" "$2" --node node-1 --kubernetes-version 1.34 --traffic -o markdown || code=$?
[ "$code" -le 1 ] || exit "$code"
