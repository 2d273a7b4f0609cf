import { createInterface } from 'node:readline';
import { type Terminal, UsageError } from './terminal.ts';

/**
 * Asks a question on a terminal, and returns whether the answer is yes. Otherwise it prints `declined`.
 * @throws UsageError if the input is not a terminal
 */
export async function confirm(
  question: string,
  declined: string,
  { input, printError, stop }: Terminal,
): Promise<boolean> {
  if (!('isTTY' in input) || input.isTTY !== true) {
    throw new UsageError('There is no terminal to confirm this. Use --yes, after a --dry-run.');
  }
  printError(`${question} [y/N]`);
  const lines = createInterface({ input, signal: stop });
  try {
    for await (const line of lines) {
      if (/^y(es)?$/i.test(line.trim())) return true;
      break;
    }
    printError(declined);
    return false;
  } finally {
    lines.close();
  }
}
