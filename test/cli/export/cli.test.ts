import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { exportCommand } from '../../../src/cli/export/command.ts';
import { runCommand } from '../../../src/terminal/terminal.ts';
import { captive } from '../../service/terminal.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { voted } from '../../support/voted.ts';

/** A ledger of two votes of user 1, the later one denied, and one of user 2. */
async function ledger() {
  const directory = tempDir();
  const url = `sqlite:${directory}/tally.db`;
  await voted(url, ['1', '2']);
  await voted(url, ['1'], { at: Date.UTC(2026, 1, 1), creditsAwarded: false, denial: '=HYPERLINK("x")' });
  vi.stubEnv('DATABASE_URL', url);
  const out = join(directory, 'ledger');
  /** The exit code, what was written into the file, and what was complained about. */
  async function run(...args: string[]) {
    const { terminal, output } = captive();
    const code = await runCommand(terminal, () => exportCommand([...args, '--out', out], terminal));
    return {
      code,
      output: output(),
      file: readdirSync(directory).includes('ledger') ? readFileSync(out, 'utf8') : null,
    };
  }
  return { directory, out, run };
}

afterEach(() => void vi.unstubAllEnvs());

describe('an export', () => {
  it('writes every entry as a JSON line, into a file that only its owner may read', async () => {
    const { out, run } = await ledger();
    const { code, file } = await run();
    expect(code).toBe(0);
    const entries = file
      ?.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toMatchObject([
      { id: 1, userId: '1', credits: 10, cause: 'vote', reason: null, at: '2026-01-01T00:00:00.000Z', deliveryId: 1 },
      { id: 2, userId: '2' },
      { id: 3, userId: '1', credits: 0, cause: 'denied' },
    ]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('writes CSV with a header, and no formula', async () => {
    const { run } = await ledger();
    const { file } = await run('--format', 'csv');
    expect(file?.split('\r\n')).toHaveLength(5);
    expect(file).toContain(`,"'=HYPERLINK(""x"")",`);
  });

  it('keeps to one user, and to what happened from a day on', async () => {
    expect((await (await ledger()).run('--user', '2')).file).toMatch(/^{"id":2,.*}\n$/);
    expect((await (await ledger()).run('--since', '2026-01-15')).file).toMatch(/^{"id":3,.*}\n$/);
    expect((await (await ledger()).run('--since', '2026-02-01T00:00:00.001')).file).toBe('');
    expect((await (await ledger()).run('--since', '2026-02-01T01:00:00+01:00')).file).toMatch(/^{"id":3,/);
  });

  it('overwrites nothing', async () => {
    const { run } = await ledger();
    await run('--user', '2');
    expect(await run()).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not overwritten'),
      file: expect.stringMatching(/^{"id":2,.*}\n$/),
    });
  });

  it.each([
    [['--format', 'xml'], '--format takes'],
    [['--user', 'me'], '--user takes'],
    [['--since', 'yesterday'], '--since takes'],
    [['--since', '2026-02-30'], '--since takes'],
    [['--all'], "Unknown option '--all'"],
  ])('refuses %j', async (args, sentence) => {
    const { directory, run } = await ledger();
    expect(await run(...args)).toMatchObject({ code: 2, output: expect.stringContaining(sentence), file: null });
    expect(readdirSync(directory)).toEqual(['tally.db']);
  });

  it('names the cure where there is no ledger', async () => {
    const { run } = await ledger();
    vi.stubEnv('DATABASE_URL', `sqlite:${tempDir()}/nothing.db`);
    expect(await run()).toMatchObject({ code: 1, output: expect.stringContaining('Check DATABASE_URL'), file: null });
  });
});
