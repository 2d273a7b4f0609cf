import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { second } from '../../src/platform/durations.ts';
import { sandboxCommand } from '../../src/sandbox/cli.ts';
import type { Terminal } from '../../src/terminal/terminal.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A terminal that says stop a moment after something was printed: the bot shall have had the time to connect. */
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
  it('says where everything is, and stops', async () => {
    const { terminal, printed } = briefTerminal();
    const data = tempDir();
    expect(
      await sandboxCommand(['--port', '0', '--no-open', '--speed', '2.5', '--seed', '7', '--data', data], terminal),
    ).toBe(0);
    expect(printed.join()).toMatch(/Open {2}http:\/\/127\.0\.0\.1:\d+\n/);
    expect(existsSync(join(data, 'clock.json'))).toBe(true);
  });

  it('forgets what it made when it is to begin anew', async () => {
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
    ['--port', '70000', 'no port'],
  ])('refuses %s %s before it begins', async (option, value, complaint) => {
    const data = join(tempDir(), 'data');
    const running = sandboxCommand([option, value, '--data', data, '--fresh'], briefTerminal().terminal);
    await expect(running).rejects.toThrow(complaint);
    expect(existsSync(data)).toBe(false);
  });
});
