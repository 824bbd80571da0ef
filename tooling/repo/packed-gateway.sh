#!/usr/bin/env bash
# The gateway as `npx @mobius-mcp/gateway` gets it: packed, installed, run by plain Node 22 and 24.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

npx -y pnpm@12.21.0 --dir "$root/apps/gateway" pack --out "$folder/gateway.tgz" >/dev/null
cache=${npm_config_cache:-$HOME/.npm}
mkdir "$folder/empty"
cd "$folder/empty"
for version in 22 24; do
  [ "$(npx -y -p "node@$version" node -p 'process.versions.node.split(".")[0]')" = "$version" ]
  answer=$(MOBIUS_STATE="$folder/state-$version" HOME="$folder" npm_config_cache="$cache" \
    npx -y -p "node@$version" -p "$folder/gateway.tgz" mobius call meta/list_servers)
  case "$answer" in
    *'"name":"meta"'*) echo "packed gateway: works on Node $version" ;;
    *) printf 'packed gateway: on Node %s it printed:\n%s\n' "$version" "$answer"; exit 1 ;;
  esac
done
