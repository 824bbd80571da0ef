#!/usr/bin/env bash
# The packages as a developer gets them: packed, installed in an empty folder, run by the examples.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node=$root/node_modules/.bin/node

pack() { # package folders → the paths of their tarballs
  for package in "$@"; do
    (cd "$root/packages/$package" && npx -y pnpm@12.21.0 pack --pack-destination "$folder/tarballs" >/dev/null)
  done
  ls "$folder/tarballs"/*.tgz
}

install() { # folder, what npm installs
  mkdir -p "$1" && cd "$1" && npm init -y >/dev/null && npm pkg set type=module >/dev/null
  shift
  npm install --no-audit --no-fund --loglevel=error "$@"
}

pack protocol >/dev/null
install "$folder/alone" "$folder"/tarballs/*.tgz @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cp "$root/examples/server-on-sdk-transport/weather.mjs" "$folder/alone"
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
const client = new Client({ name: 'embedding', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['weather.mjs'] }))
const result = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })
console.log(JSON.stringify(result.structuredContent))
await client.close()
JS
answer=$("$node" client.mjs)
[ "$answer" = '{"city":"Oslo","celsius":4}' ] || { echo "embedding: unexpected $answer"; exit 1; }
echo 'embedding: protocol alone serves on an SDK transport'

pack hooks state tools-service http-host >/dev/null
install "$folder/gateway" "$folder"/tarballs/*.tgz
cp "$root/examples/embedded-gateway/gateway.mjs" "$folder/gateway"
answer=$("$node" gateway.mjs)
case "$answer" in *'greeter hello'*"text: 'hello'"*) ;; *) echo "embedding: unexpected $answer"; exit 1 ;; esac
echo 'embedding: tools-service behind http-host answers on plain fetch'
