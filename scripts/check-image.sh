#!/usr/bin/env bash
# Runs an image as its users do, and fails if something does not work.
#   scripts/check-image.sh IMAGE      in Docker
#   scripts/check-image.sh --staged   without Docker: the files of the image in a temporary directory, as another user
set -euo pipefail
cd "$(dirname "$0")/.."
image=${1:?Usage: scripts/check-image.sh IMAGE, or --staged}
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')

step() { printf '── %s\n' "$*"; }

# Each of the two defines: clean, prepare, new_volume NAME, give_to_root NAME, start NAME VOLUME [NAME=VALUE…] -- [ARGUMENTS…],
# which waits for the health check, inside NAME COMMAND…, stop NAME, which fails unless the exit code is 0, run_once VOLUME
# [NAME=VALUE…], run_in_volume VOLUME [NAME=VALUE…] -- ARGUMENTS…, in the directory of the volume, env_of VOLUME, which prints its
# .env, and the variables port, page_port, owner (UID:GID of the program) and data_of_root (its path in a hint).
if [ "$image" = --staged ]; then source scripts/image/staged.sh; else source scripts/image/docker.sh; fi
trap clean EXIT
clean
prepare

step 'a receiver starts with a volume'
new_volume data
start receiver data TALLYHOOK_ROLES=receive "VOTE_WEBHOOK_SECRET=$secret" --

step 'all that it loads was compiled in the image'
inside receiver node -e "
  const { birthtimeMs } = fs.statSync(process.env.DATABASE_URL.slice('sqlite:'.length));
  const compiled = fs.readdirSync('dist/.compile-cache', { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const added = compiled.filter(({ parentPath, name }) => fs.statSync(path.join(parentPath, name)).mtimeMs > birthtimeMs);
  if (compiled.length === 0 || added.length > 0) throw new Error(added.length + ' of ' + compiled.length + ' files were compiled by the start.');
"

step 'it stores a delivery once'
inside receiver tallyhook send vote --to "http://127.0.0.1:$port/webhooks/vote" --secret "$secret" --duplicate

step 'SIGTERM stops it'
stop receiver

step 'the bot starts with a token and the address of the service'
new_volume bot
start bot bot DISCORD_TOKEN=none DISCORD_API_URL=http://127.0.0.1:9/api LOOKUP_BASE_URL=http://127.0.0.1:9/api/v1 --
inside bot node -e "process.exit(fs.existsSync(process.env.DATABASE_URL.slice('sqlite:'.length) + '.key') ? 0 : 1)"
stop bot

for host in '' ::; do
  step "the sandbox serves its page${host:+ with HOST=$host}"
  new_volume sandbox
  start sandbox sandbox ${host:+"HOST=$host"} -- sandbox --no-open --port "$page_port" --data /tmp/sandbox
  inside sandbox node -e "fetch('http://127.0.0.1:$page_port/').then(({ ok }) => process.exit(ok ? 0 : 1))"
  stop sandbox
done

step 'init writes .env into a directory that is mounted'
new_volume out
token=$(sed -n "s/^export const botToken = '\(.*\)';/\1/p" test/support/bot-token.ts)
written=$(run_in_volume out "DISCORD_TOKEN=$token" LOOKUP_BASE_URL=http://127.0.0.1:9/api/v1 -- init --yes --offline)
grep -qF '.env' <<<"$written"
env_of out | grep -qxF "DISCORD_TOKEN=$token"

step 'a volume that belongs to root is reported with a hint'
new_volume root
if give_to_root root; then
  if output=$(run_once root TALLYHOOK_ROLES=receive "VOTE_WEBHOOK_SECRET=$secret" 2>&1); then
    echo 'It started without a database.'
    exit 1
  fi
  grep -qF "chown -R $owner $data_of_root" <<<"$output"
else
  echo 'Skipped: only root can give it away.'
fi

echo 'The image works.'
