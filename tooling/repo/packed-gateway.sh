#!/usr/bin/env bash
# The gateway as `npx @mobius-mcp/gateway` gets it: packed, installed, run by plain Node 22 and 24.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# With what of ours it depends on, which a registry would have.
npx -y pnpm@12.21.0 --dir "$root" --filter-prod=@mobius-mcp/gateway... \
  pack --pack-destination "$folder/packed" >/dev/null
packages=()
for tarball in "$folder"/packed/*.tgz; do packages+=(-p "$tarball"); done
cache=${npm_config_cache:-$HOME/.npm}
mkdir "$folder/empty"
cd "$folder/empty"
for version in 22 24; do
  [ "$(npx -y -p "node@$version" node -p 'process.versions.node.split(".")[0]')" = "$version" ]
  # Chatting opens the database, with its native part.
  answer=$(MOBIUS_STATE="$folder/state-$version" HOME="$folder" npm_config_cache="$cache" \
    npx -y -p "node@$version" "${packages[@]}" \
    mobius call assistant/chat-with-assistant '{"prompt":"/call meta/list_servers"}')
  case "$answer" in
    *'"name":"meta"'*) echo "packed gateway: works on Node $version" ;;
    *) printf 'packed gateway: on Node %s it printed:\n%s\n' "$version" "$answer"; exit 1 ;;
  esac
done
