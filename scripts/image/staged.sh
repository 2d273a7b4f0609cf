# The files that the image would have, for scripts/check-image.sh on a machine without Docker. The Dockerfile says which files
# and variables these are, how the program is started, and what its health check is. Differences to Docker: node_modules are
# those of the clone, /data and /tmp are directories below a temporary one, and the ports are free ones of this machine.
PATH=$PWD/node_modules/.bin:$PATH
stage=$(mktemp -d)
chmod 755 "$stage"
app=$stage/app
uid=$(id -u)
gid=$(id -g)
as_user=()
if [ "$uid" = 0 ]; then
  uid=65534 gid=65534
  as_user=(setpriv "--reuid=$uid" "--regid=$gid" --clear-groups --no-new-privs)
fi
owner=$uid:$gid
data_of_root=$stage/volumes/root
declare -A process_of=() environment_of=()

# The instructions of stages of the Dockerfile (2: build, "3 5": the image), one a line, without comments.
stages_of_image='3 5'
instructions_of() {
  grep -v '^ *#' Dockerfile | sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' | awk -v wanted=" $1 " '/^FROM /{n++} index(wanted, " " n " ")'
}
# The JSON array after an instruction, one element a line.
words_of() { instructions_of "$stages_of_image" | grep -oP "^$1 .*?\K\[.*\]$" | tail -1 | node -e "JSON.parse(fs.readFileSync(0)).map((word) => console.log(word))"; }
free_port() { node -e "const server = net.createServer().listen(0, () => { console.log(server.address().port); server.close(); })"; }

clean() {
  local pid
  for pid in ${process_of[@]+"${process_of[@]}"}; do kill -KILL "$pid" 2>/dev/null || true; done
  if [ -e "$stage/bin" ]; then rm -rf "$stage"; fi
}

prepare() {
  local build=$stage/build words
  mkdir -p "$build" "$app/dist" "$stage/volumes" "$stage/bin"
  # Node itself may be in a directory that other users cannot enter.
  cp -L "$(command -v node)" "$stage/bin/node"
  # What the Dockerfile puts on the PATH, and what its first line runs.
  ln -s "$app/dist/program/launch.js" "$stage/bin/tallyhook"
  ln -s "$(command -v env)" "$stage/bin/env"
  step 'the files before npm ci are all that it needs'
  check_packages "$stage/packages"
  mkdir -p "$build/node_modules/@tallyhook"
  ln -s "$PWD"/node_modules/.bin "$PWD"/node_modules/* "$build/node_modules/" 2>/dev/null || true
  # The packages of the repository are those that the Dockerfile copies.
  ln -sfn ../../packages/platform "$build/node_modules/@tallyhook/platform"
  for name in local-discord listing-service; do ln -sfn "../packages/$name" "$build/node_modules/$name"; done
  while read -ra words; do copy "$PWD" "$build" "${words[@]:1}"; done < <(instructions_of 2 | grep '^COPY ')
  step 'the files that are copied into the build are all that it needs'
  (cd "$build" && npm run --silent build)
  while read -ra words; do
    if [ "${words[1]}" = --from=build ]; then copy "$build" "$app" "${words[@]:2}"; else copy "$PWD" "$app" "${words[@]:1}"; fi
  done < <(instructions_of "$stages_of_image" | grep '^COPY ')
  mkdir -p "$app/dist/.compile-cache"
  chown "$owner" "$app/dist/.compile-cache"
  port=$(free_port)
  page_port=$(free_port)
  variables=$(instructions_of "$stages_of_image" | sed -n 's/^ENV //p')
  mapfile -t entrypoint < <(words_of ENTRYPOINT)
  mapfile -t command < <(words_of CMD)
  mapfile -t health < <(words_of HEALTHCHECK)
  new_volume build
  (in_app build -- "${entrypoint[@]}" start --compile >/dev/null)
}

# npm leaves out a workspace whose folder is missing, without an error, and with it what the build imports.
check_packages() {
  local name words installed
  mkdir "$1"
  while read -ra words; do copy "$PWD" "$1" "${words[@]:1}"; done < <(instructions_of 2 | sed '/^RUN npm ci/q' | grep '^COPY ')
  installed=$(cd "$1" && npm ci --ignore-scripts --dry-run)
  for name in $(node -p "['scripts/clone', ...fs.readdirSync('packages').map((name) => 'packages/' + name)].flatMap((path) => Object.keys(require('./' + path + '/package.json').dependencies)).join(' ')"); do
    grep -q "^add $name " <<<"$installed" || { echo "npm ci would not install $name." && return 1; }
  done
}

# copy FROM TO PATHS… TARGET, as COPY does with directories: their contents.
copy() {
  local from=$1 to=$2 target=${*: -1} path
  if [[ $target = */ ]]; then mkdir -p "$to/$target"; fi
  for path in "${@:3:$#-3}"; do
    path=${path#/app/}
    if [ -d "$from/$path" ]; then mkdir -p "$to/$target" && cp -RL "$from/$path/." "$to/$target"; else cp "$from/$path" "$to/$target"; fi
  done
}

new_volume() {
  rm -rf "$stage/volumes/$1" "$stage/tmp-$1"
  mkdir -p "$stage/volumes/$1" "$stage/tmp-$1"
  chown "$owner" "$stage/volumes/$1" "$stage/tmp-$1"
}

give_to_root() { [ "$(id -u)" = 0 ] && chown 0:0 "$stage/volumes/$1"; }

# in_app VOLUME [NAME=VALUE…] -- COMMAND…: runs a command as the program, with the variables of the image.
in_app() {
  local volume=$1 environment=() words=() word
  for word in $variables; do environment+=("${word//\/data/$stage/volumes/$volume}"); done
  environment+=("PORT=$port" "PATH=$stage/bin" "TMPDIR=$stage/tmp-$volume")
  for (( shift_by = 2; ; shift_by++ )); do
    [ "${!shift_by}" = -- ] && break
    environment+=("${!shift_by}")
  done
  for word in "${@:shift_by+1}"; do words+=("${word/#\/tmp\//$stage/tmp-$volume/}"); done
  cd "$app"
  exec ${as_user[@]+"${as_user[@]}"} env -i "${environment[@]}" "${words[@]}"
}

start() {
  local name=$1 volume=$2 environment=() tries
  shift 2
  while [ "$1" != -- ]; do environment+=("$1") && shift; done
  shift
  environment_of[$name]=$volume
  if [ $# = 0 ]; then set -- "${command[@]}"; fi
  in_app "$volume" ${environment[@]+"${environment[@]}"} -- "${entrypoint[@]}" "$@" >"$stage/$name.log" 2>&1 &
  process_of[$name]=$!
  for (( tries = 0; tries < 240; tries++ )); do
    if (in_app "$volume" -- "${health[@]}") 2>/dev/null; then return; fi
    kill -0 "${process_of[$name]}" 2>/dev/null || break
    sleep 0.25
  done
  cat "$stage/$name.log"
  echo "$name does not become healthy."
  exit 1
}

inside() { (in_app "${environment_of[$1]}" -- "${@:2}"); }

stop() {
  local pid=${process_of[$1]}
  kill -TERM "$pid"
  (sleep 20 && kill -KILL "$pid" 2>/dev/null) &
  local guard=$! code=0
  wait "$pid" || code=$?
  kill "$guard" 2>/dev/null || true
  unset "process_of[$1]"
  [ $code = 0 ] || { cat "$stage/$1.log" && echo "$1 ended with $code after SIGTERM." && return 1; }
}

run_in_volume() {
  local volume=$1 environment=()
  for (( ; $# > 1; )); do
    shift
    [ "$1" = -- ] && shift && break
    environment+=("$1")
  done
  (in_app "$volume" ${environment[@]+"${environment[@]}"} -- env -C "../volumes/$volume" "${entrypoint[@]}" "$@")
}

env_of() { cat "$stage/volumes/$1/.env"; }

run_once() { (in_app "$1" "${@:2}" -- "${entrypoint[@]}" "${command[@]}"); }
