#!/usr/bin/env bash
# Be a newcomer: a fresh clone, an empty HOME, and the README's two commands.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
server=
stop() {
  # npx does not pass a signal on: the whole group that was started here gets it.
  if [ -n "$server" ]; then
    kill -TERM -- "-$server" || true
    for _ in $(seq 1 40); do
      kill -0 -- "-$server" 2>/dev/null || break
      sleep 0.25
    done
    ! kill -KILL -- "-$server" 2>/dev/null || echo 'newcomer: start did not end within 10 s of SIGTERM'
  fi
  rm -rf "$folder"
}
trap stop EXIT

git clone --quiet "$root" "$folder/mobius"
mkdir "$folder/home"
cd "$folder/mobius"
# The folder for npm's cache lies in HOME; what CI needs for speed may be handed in.
clean=(env -i HOME="$folder/home" PATH="${NEWCOMER_PATH:-$PATH}" TURBO_TELEMETRY_DISABLED=1 CI=true)

port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
# A command, not a function: `$!` is then the process that setsid makes the leader of its group.
setsid "${clean[@]}" MOBIUS_LISTEN="127.0.0.1:$port" npx -y pnpm@12.21.0 start >"$folder/start.log" 2>&1 &
server=$!
for _ in $(seq 1 240); do
  if curl -fsS "http://127.0.0.1:$port/healthz" >/dev/null 2>&1; then break; fi
  kill -0 "$server" 2>/dev/null || { cat "$folder/start.log"; echo 'newcomer: start ended'; exit 1; }
  sleep 0.5
done
curl -fsS "http://127.0.0.1:$port/healthz" >/dev/null
answer=$(curl -fsS "http://127.0.0.1:$port/mcp" -H 'content-type: application/json' \
  -H 'accept: application/json, text/event-stream' \
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"newcomer","version":"1"}}}')
case "$answer" in *'"serverInfo":{"name":"mobius"'*) ;; *) echo "newcomer: unexpected $answer"; exit 1 ;; esac
echo "newcomer: start answers on port $port"

if [ "${1:-}" != start ]; then
  "${clean[@]}" npx -y pnpm@12.21.0 test
  echo 'newcomer: test passes'
fi
