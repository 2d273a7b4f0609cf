import { readdirSync } from 'node:fs';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { captive } from 'listing-service/testing/terminal';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../../src/main.ts';
import { botToken } from '../../support/bot-token.ts';

const nowhere = {
  DISCORD_TOKEN: botToken,
  DISCORD_API_URL: 'http://127.0.0.1:1/api',
  LOOKUP_BASE_URL: 'http://127.0.0.1:1/api/v1',
  LOOKUP_SERVER_KEY: 'server-key-for-tests',
};

async function run(environment: Record<string, string>, ...args: string[]) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { terminal, output } = captive();
  const code = await runCommandLine(['doctor', ...args], terminal);
  return { code, output: output() };
}

afterEach(() => void vi.unstubAllEnvs());

describe('tallyhook doctor', () => {
  it('exits with 2 and reports all issues of invalid settings', async () => {
    const { code, output } = await run({ PORT: 'x', LOOKUP_BASE_URL: 'ftp://lists.example', DISCORD_TOKEN: '' });
    expect(code).toBe(2);
    for (const name of ['DISCORD_TOKEN', 'LOOKUP_BASE_URL', 'PORT'])
      expect(output).toContain(`✗ configuration  ${name}`);
  });

  it('reports them as JSON', async () => {
    const { code, output } = await run({ PORT: 'x' }, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(output)).toMatchObject({
      pass: false,
      findings: expect.arrayContaining([expect.objectContaining({ check: 'configuration', level: 'fail' })]),
    });
  });

  it('exits with 1 if a check fails, and creates no database', async () => {
    const directory = tempDir();
    const { code, output } = await run({ ...nowhere, DATABASE_URL: `sqlite:${directory}/tally.db` });
    expect(code).toBe(1);
    expect(output).toContain('✗ secrets        No vote secret is configured');
    expect(output).toMatch(/\n\d+ failed, \d+ warnings\.$/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('stops at once on a signal, without a summary', async () => {
    for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
    vi.stubEnv('DATABASE_URL', `sqlite:${tempDir()}/tally.db`);
    const { terminal, output, stop } = captive();
    const exit = runCommandLine(['doctor'], terminal);
    stop();
    expect(await exit).toBe(1);
    expect(output()).toContain('Stopped before all checks were complete.');
  });

  it('exits with 2 for invalid options', async () => {
    expect(await run(nowhere, '--url', 'votes.example.org')).toMatchObject({ code: 2 });
    expect(await run(nowhere, '--quickly')).toMatchObject({ code: 2 });
  });
});
