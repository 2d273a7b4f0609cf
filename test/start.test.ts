import { afterEach, describe, expect, it, vi } from 'vitest';
import { start } from '../src/start.ts';
import { captive } from './service/terminal.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('tallyhook start', () => {
  it.each(['--help', '-h'])('tells of itself and of the sandbox that it is without a token (%s)', async (word) => {
    for (const name of ['DISCORD_TOKEN', 'DISCORD_TOKEN_FILE', 'NODE_ENV']) vi.stubEnv(name, '');
    const { terminal, output } = captive();
    expect(await start([word], terminal, () => ({}))).toBe(0);
    expect(output()).toMatch(
      /^tallyhook start: .*Without DISCORD_TOKEN these are its options:\n\ntallyhook sandbox: /s,
    );
    expect(output()).not.toContain('is not set');
  });
});
