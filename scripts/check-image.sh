#!/usr/bin/env bash
# Runs an image as its users do, and fails if something does not work. Needs Docker.
#   scripts/check-image.sh IMAGE
set -euo pipefail
image=$1
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
program=(node dist/program/launch.js)

clean() {
  docker rm -fv check-receiver check-sandbox >/dev/null 2>&1 || true
  docker volume rm -f check-data check-root >/dev/null 2>&1 || true
}
trap clean EXIT
clean

step() { printf '── %s\n' "$*"; }

# Runs a container in the background as deployments do, and waits until its health check passes.
start() {
  local name=$1
  shift
  docker run -d --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
    --health-interval 1s --health-start-period 0s --health-retries 60 "$@" >/dev/null
  for _ in $(seq 60); do
    case $(docker inspect -f '{{.State.Health.Status}}' "$name") in
      healthy) return ;;
      unhealthy) break ;;
    esac
    sleep 1
  done
  docker logs "$name"
  echo "$name does not become healthy."
  exit 1
}

step 'a receiver with a volume stores a delivery once'
docker volume create check-data >/dev/null
receiver=(-e TALLYHOOK_ROLES=receive -e "VOTE_WEBHOOK_SECRET=$secret")
start check-receiver "${receiver[@]}" -v check-data:/data "$image"
docker exec check-receiver "${program[@]}" send vote --to http://127.0.0.1:3000/webhooks/vote --secret "$secret" --duplicate

step 'SIGTERM stops it'
docker stop -t 20 check-receiver >/dev/null
[ "$(docker inspect -f '{{.State.ExitCode}}' check-receiver)" = 0 ]

step 'the sandbox serves its page'
start check-sandbox -v /data "$image" sandbox --no-open --port 3100 --data /tmp/sandbox
docker exec check-sandbox node -e "fetch('http://127.0.0.1:3100/').then(({ ok }) => process.exit(ok ? 0 : 1))"

step 'a volume that belongs to root is reported with a hint'
docker volume create check-root >/dev/null
docker run --rm --user root --entrypoint chown -v check-root:/data "$image" root:root /data
if output=$(docker run --rm "${receiver[@]}" -v check-root:/data "$image" 2>&1); then
  echo 'It started without a database.'
  exit 1
fi
grep -q 'chown -R 1000:1000 /data' <<<"$output"

echo 'The image works.'
