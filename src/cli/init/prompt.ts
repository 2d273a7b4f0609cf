import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { TallyhookError } from '../../platform/errors.ts';

export type Prompt = ReturnType<typeof createPrompt>;

/** Asks questions on a terminal. @param output where the questions and answers are shown */
export function createPrompt(options: {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly stop: AbortSignal;
}) {
  const { input, output, stop } = options;
  let isMuted = false;
  // What readline shows while somebody types.
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
  const typed: string[] = [];
  let waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;
  let isStopped = false;

  function end(): void {
    isStopped = true;
    isMuted = false;
    waiting?.reject(stoppedError());
    waiting = undefined;
  }
  lines.on('line', (line) => {
    if (waiting === undefined) typed.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });
  lines.on('SIGINT', end);
  lines.on('close', end);
  stop.addEventListener('abort', end, { once: true });

  return {
    /**
     * The answer without white space around it. That of a secret is not shown.
     * @throws TallyhookError `stopped` after Ctrl-C, Ctrl-D or a signal
     */
    async ask(question: string, isSecret = false): Promise<string> {
      if (isStopped || stop.aborted) throw stoppedError();
      output.write(question);
      isMuted = isSecret;
      const line =
        typed.shift() ??
        (await new Promise<string>((resolve, reject) => {
          waiting = { resolve, reject };
        }));
      isMuted = false;
      if (isSecret) output.write('\n');
      return line.trim();
    },
    close() {
      stop.removeEventListener('abort', end);
      lines.close();
    },
  };
}

function stoppedError(): TallyhookError {
  return new TallyhookError('stopped', '\nStopped. Nothing was written.');
}
