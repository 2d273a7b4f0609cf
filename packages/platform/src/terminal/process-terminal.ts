import { exitCode, type Terminal } from './terminal.ts';

/** Ctrl-C under npm arrives twice, from the terminal and from npm. Signals within this time count as one (ms). */
const duplicateSignalMs = 200;

/** Columns of a terminal that does not say its width. */
const assumedColumns = 80;

/** The terminal of this process. Call it once. */
export function processTerminal(): Terminal {
  surviveClosedOutput();
  const { stdout, stderr } = process;
  // To the start of the line, and clear it.
  const clear = '\r\u001B[K';
  let hasDrawn = false;

  /** Lines are not printed behind a drawn one. */
  function drawLine(line: string | null): void {
    if (!hasDrawn && line === null) return;
    stderr.write(line === null ? clear : `${clear}${line.slice(0, (stderr.columns || assumedColumns) - 1)}`);
    hasDrawn = line !== null;
  }

  return {
    print(line) {
      drawLine(null);
      stdout.write(`${line}\n`);
    },
    printError(line) {
      drawLine(null);
      stderr.write(`${line}\n`);
    },
    ...(stderr.isTTY === true && { drawLine }),
    input: process.stdin,
    output: stdout,
    errorOutput: stderr,
    environment: process.env,
    stop: stopSignal(),
  };
}

/** The log format for the setting: `auto` is `pretty` on a terminal and `json` elsewhere. */
export function resolveLogFormat(
  format: 'auto' | 'json' | 'pretty',
  isTerminal = process.stdout.isTTY === true,
): 'json' | 'pretty' {
  if (format !== 'auto') return format;
  return isTerminal ? 'pretty' : 'json';
}

/** Aborts on the first SIGINT or SIGTERM. A second one exits at once, which loses no acknowledged delivery. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstSignalAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        firstSignalAt = performance.now();
        controller.abort();
      } else if (performance.now() - firstSignalAt > duplicateSignalMs) {
        process.exit(exitCode.runtimeError);
      }
    });
  }
  return controller.signal;
}

/**
 * A reader that closes the pipe, such as `head`, is not an error: the remaining output is dropped, and a server keeps
 * running. Any other write error, such as a full disk, sets the exit code 1.
 */
export function surviveClosedOutput(): void {
  let hasFailed = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || hasFailed) return;
      hasFailed = true;
      if (stream !== process.stderr) process.stderr.write(`The output cannot be written: ${error.message}.\n`);
    });
  }
  process.on('exit', (code) => {
    if (hasFailed && code === exitCode.ok) process.exitCode = exitCode.runtimeError;
  });
}
