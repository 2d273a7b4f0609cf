# The image in Docker, for scripts/check-image.sh. Containers and volumes have the prefix check-.
port=3000
page_port=3100
owner=1000:1000
data_of_root=/data
containers=(receiver bot sandbox)
volumes=(data bot sandbox root out)

clean() {
  docker rm -fv "${containers[@]/#/check-}" >/dev/null 2>&1 || true
  docker volume rm -f "${volumes[@]/#/check-}" >/dev/null 2>&1 || true
}

prepare() { :; }

new_volume() {
  docker volume rm -f "check-$1" >/dev/null
  docker volume create "check-$1" >/dev/null
}

give_to_root() { docker run --rm --user root --entrypoint chown -v "check-$1:/data" "$image" root:root /data; }

# As deployments do.
hardened=(--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges)

start() {
  local name=$1 volume=$2 environment=()
  shift 2
  for (( ; $# > 0; )); do
    [ "$1" = -- ] && shift && break
    environment+=(-e "$1")
    shift
  done
  docker rm -fv "check-$name" >/dev/null 2>&1 || true
  docker run -d --name "check-$name" "${hardened[@]}" --health-interval 1s --health-start-period 0s --health-retries 60 \
    -v "check-$volume:/data" ${environment[@]+"${environment[@]}"} "$image" "$@" >/dev/null
  for _ in $(seq 60); do
    case $(docker inspect -f '{{.State.Health.Status}}' "check-$name") in
      healthy) return ;;
      unhealthy) break ;;
    esac
    sleep 1
  done
  docker logs "check-$name"
  echo "$name does not become healthy."
  exit 1
}

inside() { docker exec "check-$1" "${@:2}"; }

stop() {
  docker stop -t 20 "check-$1" >/dev/null
  [ "$(docker inspect -f '{{.State.ExitCode}}' "check-$1")" = 0 ]
}

run_in_volume() {
  local volume=$1 environment=()
  for (( ; $# > 1; )); do
    shift
    [ "$1" = -- ] && shift && break
    environment+=(-e "$1")
  done
  # As root, which owns a new volume that is not mounted at /data.
  docker run --rm --user root "${hardened[@]}" ${environment[@]+"${environment[@]}"} -v "check-$volume:/out" -w /out "$image" "$@"
}

env_of() { docker run --rm --user root --entrypoint cat -v "check-$1:/out" "$image" /out/.env; }

run_once() {
  local volume=$1 variable environment=()
  for variable in "${@:2}"; do environment+=(-e "$variable"); done
  docker run --rm "${hardened[@]}" ${environment[@]+"${environment[@]}"} -v "check-$volume:/data" "$image"
}
