import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Waits for the end of its input. Then stops the PostgreSQL servers whose data is in a directory below $1 (SIGQUIT:
 * immediate shutdown) and deletes $1. A server that is just starting has no file with its process id yet.
 */
const script = `
  cat > /dev/null
  [ -d "$1" ] || exit 0
  for data in "$1"/*/data; do
    [ -d "$data" ] || continue
    [ -e "$data/postmaster.pid" ] || sleep 1
    pid=$(head -n 1 "$data/postmaster.pid") && kill -QUIT "$pid" || continue
    for wait in $(seq 100); do kill -0 "$pid" || break; sleep 0.05; done
  done
  rm -rf "$1"
`;

/**
 * Starts a process that cleans up after this one, however this one ends: a handler of signals would not run while a
 * program is started synchronously, or after SIGKILL. Ctrl+C does not reach it, because it has its own session.
 */
export function startCleanup(directory: string): { stop(): Promise<void> } {
  const child = spawn('sh', ['-c', script, 'sh', directory], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  return {
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
