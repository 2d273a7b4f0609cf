import { exitCode, type Terminal } from './terminal.ts';

/** Ctrl-C under npm arrives twice, from the terminal and from npm: within this time (ms) it is still the same request. */
const duplicateSignalMs = 200;

/** The terminal of this process. Call it once. */
export function processTerminal(): Terminal {
  surviveClosedOutput();
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    input: process.stdin,
    stop: stopSignal(),
  };
}

/** The first signal asks to stop in order; a second one does not wait. What was acknowledged is on disk either way. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let askedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted && performance.now() - askedAt > duplicateSignalMs) process.exit(exitCode.runtimeError);
      if (stop.signal.aborted) return;
      askedAt = performance.now();
      stop.abort();
    });
  }
  return stop.signal;
}

/**
 * A reader that goes away, as `head` does, is no error: the rest is not printed, and a server keeps running. Any other failure to write,
 * such as a full disk, makes the exit code 1.
 */
export function surviveClosedOutput(): void {
  let failed = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || failed) return;
      failed = true;
      if (stream !== process.stderr) process.stderr.write(`The output cannot be written: ${error.message}.\n`);
    });
  }
  process.on('exit', (code) => {
    if (failed && code === exitCode.ok) process.exitCode = exitCode.runtimeError;
  });
}
