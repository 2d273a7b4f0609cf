import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { captive } from 'listing-service/testing/terminal';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formats } from '../../../src/cli/backup.ts';
import type { NumberedEntry } from '../../../src/core/store/snapshots/audit.ts';
import { runCommandLine } from '../../../src/main.ts';
import { createDatabaseWithVotes } from '../../support/database-with-votes.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

/** A ledger with two votes of user 1, of which the later one is denied, and one vote of user 2. */
async function ledger() {
  const directory = tempDir();
  const url = newSqliteUrl(`${directory}/tally.db`);
  await createDatabaseWithVotes(url, ['1', '2']);
  await createDatabaseWithVotes(url, ['1'], {
    at: Date.UTC(2026, 1, 1),
    creditsAwarded: false,
    denial: '=HYPERLINK("x")',
  });
  vi.stubEnv('DATABASE_URL', url);
  const out = join(directory, 'ledger');
  /** The exit code, the content of the file, and the printed errors. */
  async function run(...args: string[]) {
    const { terminal, output } = captive();
    const code = await runCommandLine(['export', ...args, '--out', out], terminal);
    return {
      code,
      output: output(),
      file: readdirSync(directory).includes('ledger') ? readFileSync(out, 'utf8') : null,
    };
  }
  return { directory, out, run };
}

afterEach(() => void vi.unstubAllEnvs());

describe('tallyhook export', () => {
  it('writes every entry as a JSON line, to a file that only its owner can read', async () => {
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

  it('writes CSV with a header, with formulas escaped', async () => {
    const { run } = await ledger();
    const { file } = await run('--format', 'csv');
    expect(file?.split('\r\n')).toHaveLength(5);
    expect(file).toContain(`,"'=HYPERLINK(""x"")",`);
  });

  it('selects entries by user and by date', async () => {
    expect((await (await ledger()).run('--user', '2')).file).toMatch(/^{"id":2,.*}\n$/);
    expect((await (await ledger()).run('--since', '2026-01-15')).file).toMatch(/^{"id":3,.*}\n$/);
    expect((await (await ledger()).run('--since', '2026-02-01T00:00:00.001')).file).toBe('');
    expect((await (await ledger()).run('--since', '2026-02-01T01:00:00+01:00')).file).toMatch(/^{"id":3,/);
  });

  it('does not overwrite a file', async () => {
    const { run } = await ledger();
    await run('--user', '2');
    expect(await run()).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not overwritten'),
      file: expect.stringMatching(/^{"id":2,.*}\n$/),
    });
  });

  it.each([
    [['--format', 'xml'], 'Allowed choices are jsonl, csv'],
    [['--user', 'me'], '--user must be'],
    [['--since', 'yesterday'], '--since must be'],
    [['--since', '2026-02-30'], '--since must be'],
    [['--all'], "Unknown option '--all'"],
  ])('rejects %j', async (args, message) => {
    const { directory, run } = await ledger();
    expect(await run(...args)).toMatchObject({ code: 2, output: expect.stringContaining(message), file: null });
    expect(readdirSync(directory)).toEqual(['tally.db']);
  });

  it('prints a hint if there is no ledger', async () => {
    const { run } = await ledger();
    vi.stubEnv('DATABASE_URL', `sqlite:${tempDir()}/nothing.db`);
    expect(await run()).toMatchObject({ code: 1, output: expect.stringContaining('Check DATABASE_URL'), file: null });
  });
});

const entry: NumberedEntry = {
  ...{ id: 7, userId: '123456789012345678', listing: 'server', credits: -5, cause: 'correction', reason: null },
  ...{ at: Date.UTC(2026, 0, 1), deliveryId: null, guildId: null },
};

describe('CSV', () => {
  const { header, formatEntry } = formats.csv;
  const withReason = (text: string) => formatEntry({ ...entry, reason: text });

  it('has a header, CRLF line endings, plain numbers, and empty fields for null', () => {
    expect(header).toBe('id,userId,listing,credits,cause,reason,at,deliveryId,guildId\r\n');
    expect(formatEntry(entry)).toBe('7,123456789012345678,server,-5,correction,,2026-01-01T00:00:00.000Z,,\r\n');
  });

  it('quotes fields with separators', () => {
    expect(withReason('a "b", c\nd')).toContain(',"a ""b"", c\nd",');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('escapes the formula %j', (formula) => {
    expect(withReason(formula)).toMatch(/,"?'/);
  });
});
