import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { canOpenBrowser } from '../../src/sandbox/cli.ts';
import { startCommand } from '../support/command-line.ts';

/** Runs the sandbox, which is stopped as soon as it prints something. */
async function runBriefly(...args: readonly string[]) {
  const stopping = Promise.withResolvers<void>();
  const { stop, ended } = startCommand(['sandbox', ...args], {}, { onOutput: () => stopping.resolve() });
  await stopping.promise;
  stop();
  return ended;
}

describe('tallyhook sandbox', { timeout: 120_000 }, () => {
  it('prints the addresses and stops; --fresh deletes its own files', async () => {
    const data = tempDir();
    const isClockStored = () => existsSync(join(data, 'clock.json'));
    const first = await runBriefly('--port', '0', '--no-open', '--speed', '2.5', '--seed', '7', '--data', data);
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/Open +http:\/\/127\.0\.0\.1:\d+\n/) });
    expect(isClockStored()).toBe(true);
    expect((await runBriefly('--port', '0', '--data', data, '--fresh')).code).toBe(0);
    expect(isClockStored()).toBe(false);
  });

  it.each([
    ['--speed', '0.5', 'from 1 to 60'],
    ['--speed', 'fast', 'from 1 to 60'],
    ['--speed', '61', 'from 1 to 60'],
    ['--seed', 'some', '"none"'],
    ['--port', '70000', '--port must be a number'],
  ])('rejects %s %s before it starts', async (option, value, message) => {
    const data = join(tempDir(), 'data');
    const { code, output } = await runBriefly(option, value, '--data', data, '--fresh');
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(existsSync(data)).toBe(false);
  });
});

const desk = { environment: { DISPLAY: ':0' }, platform: 'linux', isTerminal: true } as const;

describe('the browser', () => {
  it('opens with a terminal and a display', () => {
    expect(canOpenBrowser(desk)).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: {}, platform: 'darwin' })).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: {}, platform: 'win32' })).toBe(true);
  });

  it('does not open in CI, over SSH, or without a terminal or display', () => {
    expect(canOpenBrowser({ ...desk, isTerminal: false })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: {} })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: { DISPLAY: ':0', CI: 'true' } })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1' } })).toBe(false);
  });
});
