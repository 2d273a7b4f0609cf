import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { createSender } from '../support/sender.ts';
import { startProgram } from '../support/start-program.ts';

it('every file that the program creates is only readable by its owner', { timeout: 120_000 }, async () => {
  const directory = tempDir();
  const environment = {
    ...{ TALLYHOOK_ROLES: 'receive', PORT: '0' },
    ...{ VOTE_WEBHOOK_SECRET: voteSecret, PREMIUM_WEBHOOK_SECRET: premiumSecret },
  };
  const run = async (...args: string[]) => {
    const { code, output } = await runCommand(args, environment, directory);
    expect(code, output).toBe(0);
  };
  const running = startProgram(['start'], environment, directory);
  const url = await running.url();
  const body = JSON.stringify({ event: 'server_vote', userId: '1', timestamp: new Date().toISOString() });
  expect((await createSender(1).send(url, { family: 'vote', body }))?.status).toBe(200);
  await run('backup', 'backup.db');
  await run('export', '--format', 'csv', '--out', 'ledger.csv');
  const points = 'user,points\n613425648685547541,5\n613425648685547542,5\nabc,1\n';
  writeFileSync(join(directory, 'points.csv'), points, { mode: 0o600 });
  const args = ['import', 'points.csv', '--yes', '--rejected', 'rejected.csv'];
  const imported = await runCommand(args, environment, directory);
  expect(imported.code, imported.output).toBe(1);

  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const created = files.map((file) => file.slice(directory.length + 1)).sort();
  expect(created).toEqual(
    expect.arrayContaining([
      ...['backup.db', 'ledger.csv', 'rejected.csv'],
      ...['', '-wal', '-shm'].flatMap((suffix) => [`data/cache.db${suffix}`, `data/tallyhook.db${suffix}`]),
    ]),
  );
  expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
});
