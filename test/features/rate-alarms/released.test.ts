import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createReceiver } from '../../../src/app/receiver-app.ts';
import { rateAlarmRule } from '../../../src/features/rate-alarms/store.ts';
import { runCommand } from '../../support/command-line.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { ownerApi, startApp } from '../../support/start-app.ts';

const botId = '716390085896962058';
const token = 'owner-token-for-tests';
const lamp = { name: 'lamp', kind: 'bot', id: botId, voteSecrets: ['secret'] } as const;
const voter = (number: number) => `2${String(number).padStart(17, '0')}`;
const bodyOf = (number: number) => JSON.stringify({ bot: botId, user: voter(number), test: false });

/** The program as a receiver, with a listing that carries a token. */
async function startProgram() {
  const clock = manualClock(Date.UTC(2026, 0, 1, 12));
  const environment = {
    ...environmentWith([{ ...lamp, site: 'discordplace', timeZone: 'Europe/Berlin' }]),
    ...{ TALLYHOOK_ROLES: 'receive', DATABASE_URL: newSqliteUrl(), CACHE_URL: 'memory:', OWNER_TOKEN: token },
  };
  const { url, lines } = await startApp(environment, { clock });

  async function flood(from: number, until: number): Promise<string[]> {
    const outcomes: string[] = [];
    for (let number = from; number < until; number += 1) {
      const headers = { authorization: 'secret' };
      const response = await fetch(`${url}/webhooks/lamp`, { method: 'POST', headers, body: bodyOf(number) });
      outcomes.push(((await response.json()) as { outcome: string }).outcome);
    }
    return outcomes;
  }
  const owner = ownerApi(url, token);
  /** Advances the clock in steps of a second, until the check passes. */
  const soon = (check: () => Promise<void>) =>
    eventually(async () => {
      await systemClock.sleep(50);
      await clock.advance(second);
      await check();
    });
  return { environment, lines, flood, owner, soon, held: async () => (await owner('/listings')).json['listings'] };
}

it('holds what is too much, and pays it when the owner releases it', async () => {
  const { lines, flood, owner, soon, held } = await startProgram();
  expect(new Set(await flood(0, 50))).toEqual(new Set(['recorded']));
  expect(await flood(50, 53)).toEqual(['quarantined', 'quarantined', 'quarantined']);
  const listing = { name: 'lamp', site: 'discord.place', trust: 'token', timeZone: 'Europe/Berlin' };
  const alarm = { listing: 'lamp', state: 'held', heldAt: '2026-01-01T12:00:00.000Z', held: 3, paid: 50, usual: 0 };
  expect(await held()).toEqual([{ ...listing, held: alarm }]);
  await soon(async () => expect(lines.join()).toContain('many more votes than usual'));
  expect(await owner(`/users/${voter(52)}`)).toMatchObject({ json: { credits: 0 } });
  expect(await owner('/listings/lamp/release', 'POST')).toMatchObject({ status: 200, json: { decision: 'release' } });
  await soon(async () => expect(await owner(`/users/${voter(52)}`)).toMatchObject({ json: { credits: 10, votes: 1 } }));
  await soon(async () => expect(await held()).toEqual([{ ...listing, held: null }]));
  expect(await flood(53, 55)).toEqual(['recorded', 'recorded']);
  expect(await owner('/listings/lamp/reject', 'POST')).toMatchObject({ status: 409, json: { success: false } });
  expect((await owner('/listings/torch/release', 'POST')).status).toBe(404);
});

it('pays nothing that the owner rejects from the command line, and reverses what was paid before', async () => {
  const { environment, flood, owner, soon, held } = await startProgram();
  await flood(0, 52);
  const rewards = (...args: string[]) => runCommand(['rewards', ...args], environment);
  expect((await rewards('alarms')).stdout).toContain('lamp: 2 votes held; 50 were paid in one hour before');
  expect((await rewards('alarms', '--reject', 'lamp')).stdout).toContain('to be rejected by the bot');
  expect((await rewards('alarms', '--reject', 'lamp')).code).toBe(2);
  await soon(async () => expect(await held()).toMatchObject([{ held: null }]));
  const rejected = (await owner('/deliveries?outcome=ignored')).json['deliveries'];
  expect(rejected).toMatchObject([{ reason: 'rejected by the owner' }, { reason: 'rejected by the owner' }]);

  const hour = { from: '2026-01-01T12:00:00Z', until: '2026-01-01T13:00:00Z' };
  const reverse = (body: object) => owner('/listings/lamp/reversals', 'POST', body);
  const totals = { members: 50, votes: 50, credits: 500 };
  expect(await reverse({ ...hour, dryRun: true })).toEqual({ status: 200, json: totals });
  const args = ['reverse', '--listing', 'lamp', '--from', hour.from, '--until', hour.until];
  expect((await rewards(...args, '--dry-run')).stdout).toContain('500 credits and 50 votes of 50 members');
  expect(await reverse(hour)).toEqual({ status: 200, json: { ...totals, spent: 0 } });
  expect((await rewards(...args, '--yes', '--json')).stdout).toContain('"votes":0');
  expect(await owner(`/users/${voter(1)}`)).toMatchObject({ json: { credits: 0, votes: 0 } });
  expect((await reverse({ from: hour.until, until: hour.from })).status).toBe(400);
  expect((await reverse({ from: hour.from })).status).toBe(400);
  expect((await rewards('reverse', '--listing', 'torch', ...args.slice(3))).code).toBe(2);
  expect((await rewards('alarms', '--yes')).stderr).toContain("Unknown option '--yes'");
});

it('is for listings that carry a token, where an owner can decide', async () => {
  const alarms = (site: object) => {
    const { listings } = loadConfig(environmentWith([{ ...lamp, ...site }]));
    return rateAlarmRule.in(listings[0]?.rewards ?? {});
  };
  expect(alarms({ site: 'discordplace' })).toBe(true);
  expect(alarms({ site: 'topgg' })).toBe(false);
  expect(alarms({ site: 'discordplace', siteKey: 'key', confirm: true })).toBe(false);
  expect(alarms({ lookupKey: 'key' })).toBe(false);
  const receiver = await createReceiver({ listings: [{ ...lamp, site: 'discordplace' }], database: ':memory:' });
  onTestFinished(() => receiver.stop());
  await receiver.start({ listen: false });
  const outcomes = new Set();
  for (let number = 0; number < 55; number += 1) {
    const init = { method: 'POST', headers: { authorization: 'secret' }, body: bodyOf(number) };
    const response = await receiver.fetch(new Request('https://bot.example/webhooks/lamp', init));
    outcomes.add(((await response.json()) as { outcome: string }).outcome);
  }
  expect(outcomes).toEqual(new Set(['recorded']));
});
