import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, hour } from '@tallyhook/platform/durations';
import { killedAtCommit } from '@tallyhook/platform/testing/kill-itself';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/command-line.ts';
import { firstCommunity } from '../../support/communities.ts';
import { json, startFakeService } from '../../support/fake-service.ts';
import { settings, unreachableDiscord } from '../../support/settings.ts';
import { startProgram } from '../../support/start-program.ts';
import { isConsistent, openLedger } from '../../support/voting.ts';

const firstId = 613_425_648_685_547_541n;
const idOf = (index: number) => String(firstId + BigInt(index) * 4_096n);

function newInstallation() {
  const directory = tempDir();
  const url = `sqlite:${join(directory, 'tally.db')}`;
  const environment = { ...settings(unreachableDiscord), DATABASE_URL: url };
  return {
    url,
    write(name: string, content: string): string {
      writeFileSync(join(directory, name), content);
      return name;
    },
    path: (name: string) => join(directory, name),
    start: (args: readonly string[], changes: Record<string, string> = {}) =>
      startProgram(['import', ...args], { ...environment, ...changes }, directory),
    run: (...args: readonly (string | Record<string, string>)[]) => {
      const words = args.filter((arg) => typeof arg === 'string');
      const changes = args.filter((arg) => typeof arg !== 'string');
      return runCommand(['import', ...words], Object.assign({}, environment, ...changes), directory);
    },
  };
}

it('an import is shown before, done, listed, and undone', { timeout: 120_000 }, async () => {
  const { url, write, run, path } = newInstallation();
  const file = write('points.csv', `user,points\n${idOf(0)},150\n${idOf(1)},20\nabc,5\n${idOf(2)},-4\n`);
  expect(await run(file)).toMatchObject({ code: 2, output: expect.stringContaining('Use --yes, after a --dry-run.') });
  const planned = await run(file, '--dry-run', '--rejected', 'rejected.csv');
  expect(planned.code).toBe(1);
  expect(planned.output).toContain('Would import the balances of 2 members from 4 rows: 170 credits.');
  expect(readFileSync(path('rejected.csv'), 'utf8').split('\r\n')).toEqual([
    'file,row,reason',
    '"points.csv",4,"this is not a Discord id"',
    '"points.csv",5,"the credits are negative"',
    '',
  ]);

  const done = await run(file, '--yes', '--json');
  const result = JSON.parse(done.output.split('\n').find((line) => line.startsWith('{')) ?? '');
  expect(result).toMatchObject({ imported: true, id: 1, credits: 170, balances: 2, alreadyImported: 0 });
  expect(result.rejected).toMatchObject([
    { count: 1, first: [{ row: 4 }] },
    { count: 1, first: [{ row: 5 }] },
  ]);
  expect((await run(file, '--yes')).output).toContain('Imported nothing from 4 rows: 0 credits.');
  expect((await run('--list')).output).toMatch(/^1 {2}\S+ {2}points\.csv: 170 credits, 0 votes \(done\)\n$/);
  expect(await run('--undo', '1', '--yes')).toMatchObject({
    code: 0,
    output: 'Took back 170 credits and 0 votes of 2 members.\n',
  });
  expect((await run('--undo', '1', '--yes')).output).toContain('was undone before');
  expect(await (await openLedger(url)).ledgerIn(firstCommunity).account(idOf(0))).toMatchObject({ credits: 0 });
  expect(await isConsistent(url)).toBe(true);
});

it('votes are for a listing, and a database with keys needs a template', { timeout: 120_000 }, async () => {
  const { url, write, run } = newInstallation();
  const votes = write(
    'votes.ndjson',
    `{"voter":"${idOf(0)}","time":1767323045}\n{"voter":"${idOf(0)}","time":1767423045}\n`,
  );
  expect((await run(votes, '--yes')).output).toContain('Imported 2 votes from 2 rows: 0 credits.');
  const database = write(
    'quick.json',
    JSON.stringify([
      { id: `points_${idOf(0)}`, value: 30 },
      { id: `daily_${idOf(0)}`, value: 1 },
    ]),
  );
  expect(await run(database, '--yes')).toMatchObject({
    code: 2,
    output: expect.stringContaining("--key 'points_{user}'"),
  });
  expect(await run(database, '--key', 'points_{user}', '--yes')).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 left out: other keys'),
  });
  expect(await (await openLedger(url)).ledgerIn(firstCommunity).account(idOf(0))).toMatchObject({
    credits: 30,
    votes: 2,
  });
});

it('a wrong listing is rejected, and a time of votes that would delay the next ones', {
  timeout: 120_000,
}, async () => {
  const { url, write, run } = newInstallation();
  const votes = write('votes.csv', `user,time,site\n${idOf(0)},1767323045,\n`);
  expect(await run(votes, '--listing', 'nowhere', '--yes')).toMatchObject({
    code: 2,
    output: expect.stringContaining('There is no listing "nowhere"'),
  });
  const totals = write('totals.csv', `user,votes\n${idOf(0)},40\n`);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  expect(await run(totals, '--votes-at', daysAgo(0.1), '--yes')).toMatchObject({
    code: 2,
    output: expect.stringContaining('the next votes would be within the cooldown'),
  });
  expect((await run(totals, '--votes-at', daysAgo(1), '--yes')).code).toBe(0);
  expect(await (await openLedger(url)).ledgerIn(firstCommunity).account(idOf(0))).toMatchObject({ votes: 40 });
});

it('an import that is killed continues without crediting anything twice', { timeout: 120_000 }, async () => {
  const { url, write, start, run } = newInstallation();
  const members = 4_000;
  const rows = Array.from({ length: members }, (_, index) => `${idOf(index)},${(index % 50) + 1}`);
  const file = write('points.csv', `user,points\n${rows.join('\n')}\n`);
  const store = await openLedger(url);
  let before = 0;
  for (const commit of [4, 10]) {
    expect(await start([file, '--yes'], killedAtCommit(commit)).ended).toBe('SIGKILL');
    const entries = (await store.imports.list())[0]?.entries ?? 0;
    expect(entries).toBeGreaterThan(before);
    expect(entries).toBeLessThan(members);
    expect(await isConsistent(url)).toBe(true);
    before = entries;
  }
  expect((await run(file, '--yes')).code).toBe(0);
  expect(await store.imports.list()).toMatchObject([{ state: 'done', entries: members, credits: members * 25.5 }]);
  expect(await isConsistent(url)).toBe(true);
});

it('an import that two processes undo at once is taken back once, and their reports add up', {
  timeout: 120_000,
}, async () => {
  const { url, write, run, start } = newInstallation();
  const members = 1_500;
  const rows = Array.from({ length: members }, (_, index) => `${idOf(index)},7`);
  await run(write('points.csv', `user,points\n${rows.join('\n')}\n`), '--yes');
  const undoing = [1, 2].map(() => start(['--undo', '1', '--yes', '--json']));
  const codes = await Promise.all(undoing.map(({ ended }) => ended));
  // On a busy machine, one may start after the other has ended.
  if (codes.some((code) => code !== 0)) expect(undoing.map(({ output }) => output()).join()).toContain('undone before');
  const reports = undoing.map((program) => {
    const line =
      program
        .output()
        .split('\n')
        .find((each) => each.startsWith('{')) ?? '{}';
    return { members: 0, credits: 0, ...JSON.parse(line) } as { members: number; credits: number };
  });
  expect(reports.reduce((sum, each) => sum + each.members, 0)).toBe(members);
  expect(reports.reduce((sum, each) => sum + each.credits, 0)).toBe(7 * members);
  expect((await run('--list')).output).toContain('(undone)');
  expect(await isConsistent(url)).toBe(true);
});

it('the history of a site is imported without a file, and continued', { timeout: 120_000 }, async () => {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  const { run, url, write, path } = newInstallation();
  const siteKey = 'key-of-the-listing-on-top-gg';
  const listing = {
    ...{ name: 'lamp', kind: 'bot', id: '716390085896962058', site: 'topgg', voteSecrets: ['whs_1'], siteKey },
  };
  write('listings.json', JSON.stringify({ listings: [listing] }));
  const none = { LOOKUP_SERVER_KEY: '', LOOKUP_BOT_KEY: '', VOTE_WEBHOOK_SECRET: '', PREMIUM_WEBHOOK_SECRET: '' };
  const onSite = { ...none, TALLYHOOK_CONFIG: path('listings.json'), SITE_API_URL: site.origin };
  const start = Date.now() - 30 * day;
  const votes = Array.from({ length: 6 }, (_, index) => start + Math.floor(index / 2) * day + (index % 2));
  const answer = (pages: readonly (readonly number[])[]) => {
    site.respondWith((response, request) => {
      const page = Number(new URL(request.url ?? '', site.origin).searchParams.get('cursor') ?? 0);
      const data = (pages[page] ?? []).map((at) => ({
        ...{ user_id: '1', platform_id: idOf(at % 2), weight: 1 },
        ...{ created_at: new Date(at).toISOString(), expires_at: new Date(at + 12 * hour).toISOString() },
      }));
      json(200, { data, cursor: String(page + 1) })(response, request);
    });
  };
  answer([votes.slice(0, 2), votes.slice(2, 4)]);
  const planned = await run(onSite, '--from-site', '--dry-run');
  expect(planned).toMatchObject({ code: 0, output: expect.stringContaining('Would import 4 votes from 4 rows') });
  expect(site.requests[0]).toMatchObject({ headers: { authorization: `Bearer ${siteKey}` } });
  const done = await run(onSite, '--from-site', '--yes');
  expect(done.output).toContain('Imported 4 votes from 4 rows');
  expect(planned.output + done.output).not.toContain(siteKey);

  answer([votes.slice(2, 4), votes.slice(4)]);
  site.requests.length = 0;
  const more = await run(onSite, '--from-site', '--yes', '--json');
  expect(JSON.parse(more.output.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({
    votes: 2,
    alreadyImported: 2,
  });
  const since = new Date(Math.max(...votes.slice(0, 4)) - hour).toISOString();
  expect(site.requests[0]?.url).toBe(`/api/v1/projects/@me/votes?startDate=${since}`);

  site.respondWith(json(429, { 'retry-after': 3_600 }));
  const limited = await run(onSite, '--from-site', '--yes');
  expect(limited).toMatchObject({ code: 1, output: expect.stringContaining('Run it again: it continues') });
  const ledger = await openLedger(url);
  expect(await ledger.ledgerIn(firstCommunity).account(idOf(0))).toMatchObject({ votes: 3, credits: 0 });
  expect(await isConsistent(url)).toBe(true);
});

it('a file whose ids a spreadsheet has rounded is refused as a whole', { timeout: 120_000 }, async () => {
  const { write, run } = newInstallation();
  const rows = 'user,points\n613425648685547000,150\n204255221017215000,20\n80351110224679000,5\n';
  const good = Array.from({ length: 20 }, (_, index) => `${idOf(index)},1\n`).join('');
  const files = [
    write('rounded.csv', rows),
    write('numbers.json', '[{"user": 6.13425648685547e+17, "points": 1}]'),
    write('mixed.csv', `user,points\n${good}6.13E+17,150\n`),
    write('scientific.csv', 'user;points\n6,13E+17;150\n2,04E+17;20\n'),
  ];
  for (const file of files) {
    const { code, output } = await run(file, '--yes');
    expect({ file, code, output }).toMatchObject({
      code: 1,
      output: expect.stringMatching(/have lost their last digits: .*A spreadsheet does that/),
    });
  }
  expect((await run('--list')).output).toBe('Nothing was imported.\n');
});

it('an import without a community says how to get one', { timeout: 120_000 }, async () => {
  const { write, run } = newInstallation();
  const file = write('points.csv', `user,points\n${idOf(0)},150\n`);
  const without = { LOOKUP_SERVER_KEY: '', VOTE_WEBHOOK_SECRET: '', PREMIUM_WEBHOOK_SECRET: '' };
  const { code, output } = await run(file, '--yes', '--guild', idOf(1), without);
  expect(code).toBe(2);
  expect(output).toBe(
    'There is no community yet: link a listing with /setup in Discord, or configure one. See --help.\n',
  );
});
