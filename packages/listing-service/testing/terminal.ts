import { PassThrough, type Readable, Writable } from 'node:stream';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';

/** A terminal that records its output. */
export function captive(
  input: Readable = new PassThrough(),
  environment: Readonly<Record<string, string>> = {},
): {
  terminal: Terminal;
  output: () => string;
  stop: () => void;
} {
  const lines: string[] = [];
  const stopping = new AbortController();
  const record = (line: string): void => void lines.push(line);
  const sink = new Writable({
    write(chunk, _encoding, done) {
      record(String(chunk));
      done();
    },
  });
  return {
    terminal: {
      print: record,
      printError: record,
      input,
      output: sink,
      errorOutput: sink,
      environment,
      stop: stopping.signal,
    },
    output: () => lines.join('\n'),
    stop: () => stopping.abort(),
  };
}
