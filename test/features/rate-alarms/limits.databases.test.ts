import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { withoutSecrets } from '../../../src/core/receiving/listing.ts';
import { createReplay } from '../../../src/core/receiving/replay.ts';
import { readStoredSiteDelivery, routeDelivery } from '../../../src/core/receiving/routing.ts';
import { plainRewards } from '../../../src/core/rewards/rules.ts';
import { createDecisionRound } from '../../../src/features/rate-alarms/decisions.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { openLedger } from '../../support/voting.ts';

const [, bot] = serverAndBot();
const start = Date.UTC(2026, 0, 1, 12);
const memberId = (user: number) => `2${String(user).padStart(17, '0')}`;
const site = {
  ...{ id: 'custom', key: null, slug: null, confirm: false },
  custom: { name: 'Elsewhere', page: null, user: 'user', id: 'id', time: 'at' },
} as const;

describeOnEveryDatabase('votes of a listing that can be forged', (newUrl) => {
  async function open(rule: { rateAlarm?: true } = { rateAlarm: true }) {
    const clock = manualClock(start);
    const store = await openLedger(newUrl(), storeClock(clock));
    const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 12 * hour, site: { retryHorizonMs: 0 } };
    const listing = { ...bot, id: null, name: 'lamp', site, rewards: { ...plainRewards(base), ...rule } };
    const { recorder, rateAlarms } = store;
    const log = createLog({ level: 'silent', secrets: [] });

    /** With further fields of the vote. */
    function deliver(user: number, receivedAt = start, fields: object = {}) {
      const body = JSON.stringify({ user: memberId(user), ...fields });
      const payload = readStoredSiteDelivery(body, listing, receivedAt);
      const routed = routeDelivery(payload, [{ listing: withoutSecrets(listing), family: 'vote' }]);
      return recorder.record({ receivedAt, family: 'vote', body }, routed);
    }
    /** Votes of different members, in this order. Returns how many have each outcome. */
    async function flood(count: number, at = start, from = 1) {
      const outcomes: Record<string, number> = {};
      const votes = await Promise.all(Array.from({ length: count }, (_, index) => deliver(from + index, at + index)));
      for (const { outcome } of votes) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      return outcomes;
    }
    /** Carries out decisions, as every process does. @param maxReplays then it crashes */
    async function carryOut(maxReplays = Number.POSITIVE_INFINITY) {
      let replays = 0;
      const replay = createReplay({ listings: () => [listing], recorder, clock });
      const channel = { ownerChannelId: '9'.repeat(18) };
      const round = createDecisionRound({
        store,
        directory: { find: () => listing as never, communityOf: () => channel as never },
        replay: (delivery) => {
          if (replays >= maxReplays) throw new Error('crashed');
          replays += 1;
          return replay(delivery);
        },
        clock,
        log,
      });
      await round(new AbortController().signal).catch(() => {});
      return replays;
    }
    const held = async () => (await rateAlarms.held())[0];
    const decide = (decision: 'release' | 'reject') => rateAlarms.decide('lamp', decision, clock.now());
    return { ...store, clock, deliver, flood, carryOut, held, decide };
  }

  it('are held beyond 50 an hour if the listing is new, and reported once', async () => {
    const { flood, deliver, held, carryOut, records } = await open();
    expect(await flood(53)).toEqual({ recorded: 50, quarantined: 3 });
    expect(await deliver(60, start + 2 * hour)).toMatchObject({
      outcome: 'quarantined',
      credits: 0,
      reason: 'many more votes than usual',
    });
    expect(await deliver(1, start + minute)).toMatchObject({ outcome: 'duplicate' });
    expect(await held()).toMatchObject({ listing: 'lamp', state: 'held', held: 4, paid: 50, usual: 0 });
    expect((await records.counts()).credits).toBe(500);
    await carryOut();
    await carryOut();
    const effects = await records.effects({ state: 'waiting', limit: 10, before: null });
    expect(effects.map(({ kind }) => kind).filter((kind) => kind !== 'announcement')).toEqual(['ownerReport']);
  });

  it('are held beyond ten times the usual hour, whatever the hour brings after that', async () => {
    const { flood, held } = await open();
    for (let index = 0; index < 3; index += 1) {
      expect(await flood(20, start + index * hour, 1_000 * index + 1)).toEqual({ recorded: 20 });
    }
    expect(await flood(205, start + 3 * hour, 10_000)).toEqual({ recorded: 200, quarantined: 5 });
    expect(await held()).toMatchObject({ held: 5, paid: 200, usual: 20 });
  });

  it('are paid when they are released, with their own times, and the alarm is off for a day', async () => {
    const { clock, flood, deliver, decide, carryOut, held, records, ledgerIn } = await open();
    const ledger = ledgerIn(firstCommunity);
    await flood(52);
    await clock.advance(hour);
    expect(await decide('release')).toBe(true);
    expect(await decide('reject')).toBe(false);
    expect(await deliver(70, clock.now())).toMatchObject({ outcome: 'recorded' });
    expect(await carryOut()).toBe(2);
    expect(await held()).toBeUndefined();
    expect((await records.counts()).credits).toBe(530);
    const member = memberId(52);
    expect(await ledger.lastVoteAt(member, ['lamp'])).toBe(start + 51);
    expect(await flood(60, start + 5 * hour, 100)).toEqual({ recorded: 60 });
    expect(await flood(60, start + 4 * day, 1_000)).toMatchObject({ recorded: 60 });
    expect(await carryOut()).toBe(0);
  });

  it('are paid once if the program crashes during a release', async () => {
    const { flood, decide, carryOut, held, records } = await open();
    await flood(60);
    await decide('release');
    expect(await carryOut(4)).toBe(4);
    expect(await held()).toMatchObject({ state: 'releasing', held: 6 });
    expect((await Promise.all([carryOut(), carryOut()])).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(6);
    expect(await records.counts()).toMatchObject({ credits: 600, votes: 60, deliveries: { quarantined: 0 } });
  });

  it('are never paid when they are rejected, nor when they are repeated', async () => {
    const { flood, deliver, decide, carryOut, held, records } = await open();
    await flood(50);
    const known = { id: 'vote-1', at: new Date(start).toISOString() };
    const { deliveryId } = await deliver(900, start, known);
    await deliver(901);
    await decide('reject');
    await carryOut();
    expect(await held()).toBeUndefined();
    const rejected = await records.delivery(deliveryId);
    expect(rejected).toMatchObject({ outcome: 'ignored', reason: 'rejected by the owner', credits: 0 });
    expect(await deliver(900, start + hour, known)).toMatchObject({ outcome: 'duplicate' });
    expect((await records.counts()).credits).toBe(500);
    expect(await flood(51, start + 30 * minute, 2_000)).toEqual({ recorded: 50, quarantined: 1 });
  });

  it('are held on while they are rejected, and decided by themselves', async () => {
    const { flood, deliver, decide, carryOut, held, records } = await open();
    await flood(60);
    const last = await deliver(900);
    await decide('reject');
    expect(await flood(120, start + 2 * hour, 1_000)).toEqual({ quarantined: 120 });
    const later = await deliver(901, start + 2 * hour);
    await Promise.all([carryOut(), carryOut()]);
    expect(await records.counts()).toMatchObject({ credits: 500, deliveries: { quarantined: 121, ignored: 11 } });
    expect(await records.delivery(last.deliveryId)).toMatchObject({ outcome: 'ignored' });
    expect(await held()).toMatchObject({ state: 'held', held: 121 });
    expect(await flood(3, start + 3 * hour, 2_000)).toEqual({ quarantined: 3 });
    await decide('release');
    await carryOut();
    expect(await records.delivery(later.deliveryId)).toMatchObject({ outcome: 'recorded', credits: 10 });
  });

  it('are not counted without the rule', async () => {
    const { flood, held } = await open({});
    expect(await flood(60)).toEqual({ recorded: 60 });
    expect(await held()).toBeUndefined();
  });
});
