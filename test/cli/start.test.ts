import { setImmediate as turn } from 'node:timers/promises';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { captive } from 'listing-service/testing/terminal';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createStart } from '../../src/cli/start.ts';
import { runCommandLine } from '../../src/main.ts';
import { watchErrorHandlers } from '../support/command-line.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('tallyhook start', () => {
  it('reloads for a SIGHUP during the start, and handles the signal until it has stopped', async () => {
    onTestFinished(watchErrorHandlers());
    const directory = tempDir();
    const changes = { DATABASE_URL: `sqlite:${directory}/tally.db`, CACHE_URL: 'memory:', LOG_LEVEL: 'fatal' };
    for (const [name, value] of Object.entries({ ...settings(unreachableDiscord), ...changes }))
      vi.stubEnv(name, value);
    const listenersBefore = process.listenerCount('SIGHUP');
    const { terminal, stop } = captive();
    const environment = vi.fn(() => process.env);
    const running = createStart(environment)({ open: true }, terminal, []);
    process.emit('SIGHUP');
    expect(environment).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(environment).toHaveBeenCalledOnce(), { timeout: 60_000 });
    stop();
    await turn();
    expect(process.listenerCount('SIGHUP')).toBe(listenersBefore + 1);
    expect(await running).toBe(0);
    expect(process.listenerCount('SIGHUP')).toBe(listenersBefore);
  });

  it('loads the program without settings, to compile it for an image', async () => {
    for (const name of ['DISCORD_TOKEN', 'DISCORD_TOKEN_FILE', 'NODE_ENV']) vi.stubEnv(name, '');
    const { terminal, output } = captive();
    expect(await runCommandLine(['start', '--compile'], terminal)).toBe(0);
    expect(output()).toBe('');
  });

  it.each(['--help', '-h'])('prints its options and those of the sandbox (%s)', async (option) => {
    for (const name of ['DISCORD_TOKEN', 'DISCORD_TOKEN_FILE', 'NODE_ENV']) vi.stubEnv(name, '');
    const { terminal, output } = captive();
    expect(await runCommandLine(['start', option], terminal)).toBe(0);
    expect(output()).toMatch(/^Usage: tallyhook start .*\n\nWithout DISCORD_TOKEN, for the sandbox:\n {2}--port /s);
    expect(output()).not.toContain('is not set');
  });

  it('says only what is wrong with an option, not that it starts the sandbox', async () => {
    for (const name of ['DISCORD_TOKEN', 'DISCORD_TOKEN_FILE', 'NODE_ENV']) vi.stubEnv(name, '');
    const { terminal, output } = captive();
    expect(await runCommandLine(['--nope'], terminal)).toBe(2);
    expect(output()).not.toContain('starting the sandbox');
  });

  it('has no options of the sandbox once there are settings', async () => {
    for (const [name, value] of Object.entries(settings(unreachableDiscord))) vi.stubEnv(name, value);
    const { terminal, output } = captive();
    expect(await runCommandLine(['--port', '1'], terminal)).toBe(2);
    expect(output()).toBe('--port is an option of the sandbox, which runs without DISCORD_TOKEN. See --help.');
  });
});
