#!/usr/bin/env bash
# The packages as a developer gets them: packed, installed in an empty folder, run by the examples.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node=$root/node_modules/.bin/node

pack() { # package folders → tarballs
  for package in "$@"; do
    (cd "$root/packages/$package" &&
      npx -y pnpm@12.21.0 pack --pack-destination "$folder/tarballs" >/dev/null)
  done
}

# example, what its client must print: installed from the tarballs, nothing else of the repository
try() {
  cp -r "$root/examples/$1" "$folder/$1"
  cd "$folder/$1"
  npm install --no-audit --no-fund --loglevel=error "$folder"/tarballs/*.tgz
  answer=$("$node" client.mjs)
  [ "$answer" = "$2" ] || { printf 'embedding: %s printed:\n%s\n' "$1" "$answer"; exit 1; }
  echo "embedding: $1 works"
}

pack protocol
try server-on-sdk-transport '{"city":"Oslo","celsius":4}'
pack hooks state tools-service http-host
try embedded-gateway 'greeter greet ok
{"content":[{"type":"text","text":"hello Oslo"}]}'
