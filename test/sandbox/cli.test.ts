import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { second } from '../../src/platform/durations.ts';
import { sandboxCommand } from '../../src/sandbox/cli.ts';
import type { Terminal } from '../../src/terminal/terminal.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A terminal that stops one second after the first output, so that the bot has time to connect. */
function briefTerminal() {
  const stop = new AbortController();
  const printed: string[] = [];
  const print = (line: string) => {
    printed.push(line);
    setTimeout(() => stop.abort(), second);
  };
  const terminal: Terminal = { print, printError: print, input: Readable.from([]), stop: stop.signal };
  return { terminal, printed };
}

describe('tallyhook sandbox', { timeout: 20_000 }, () => {
  it('prints the addresses and stops', async () => {
    const { terminal, printed } = briefTerminal();
    const data = tempDir();
    expect(
      await sandboxCommand(['--port', '0', '--no-open', '--speed', '2.5', '--seed', '7', '--data', data], terminal),
    ).toBe(0);
    expect(printed.join()).toMatch(/Open {2}http:\/\/127\.0\.0\.1:\d+\n/);
    expect(existsSync(join(data, 'clock.json'))).toBe(true);
  });

  it('deletes its own files with --fresh', async () => {
    const data = tempDir();
    await sandboxCommand(['--port', '0', '--data', data, '--speed', '2'], briefTerminal().terminal);
    expect(existsSync(join(data, 'clock.json'))).toBe(true);
    await sandboxCommand(['--port', '0', '--data', data, '--fresh'], briefTerminal().terminal);
    expect(existsSync(join(data, 'clock.json'))).toBe(false);
  });

  it.each([
    ['--speed', '0.5', 'from 1 to 60'],
    ['--speed', 'fast', 'from 1 to 60'],
    ['--speed', '61', 'from 1 to 60'],
    ['--seed', 'some', '"none"'],
    ['--port', '70000', '--port must be a number'],
  ])('rejects %s %s before it starts', async (option, value, message) => {
    const data = join(tempDir(), 'data');
    const { terminal, printed } = briefTerminal();
    expect(await sandboxCommand([option, value, '--data', data, '--fresh'], terminal)).toBe(2);
    expect(printed.join()).toContain(message);
    expect(existsSync(data)).toBe(false);
  });
});
