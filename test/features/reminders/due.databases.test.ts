import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReminderClaim } from '../../../src/features/reminders/reminder.ts';
import { createVoteCheck } from '../../../src/features/reminders/vote-check.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { directMessageQueue } from '../../support/queues.ts';

const start = Date.UTC(2026, 0, 5, 12);
const cooldownMs = 12 * hour;
const [server, bot] = serverAndBot();
const listing = { name: 'server', cooldownMs };
/** A time that the site of the listing states is the truth. */
const atOtherSite = server && {
  ...server,
  rewards: { ...server.rewards, base: { ...server.rewards.base, site: { retryHorizonMs: minute } } },
};

function claimAt(now: number, changes: Partial<ReminderClaim> = {}): ReminderClaim {
  const leaseUntil = now + 30 * second;
  return { now, leaseUntil, maxDueAt: now + day, maxLeaseUntil: now + minute, limit: 10, ...changes };
}

function reminderTests(newUrl: () => string): void {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<{ store: Store; url: string }> {
    const clock = storeClock(manualClock(start));
    const store = await openStore(url, clock, { thread });
    onTestFinished(() => store.close());
    return { store, url };
  }

  /** @param nextVoteAt what the site of the listing says of the next vote, if it says anything */
  function castVote(store: Store, userId: string, at: number, to = server, nextVoteAt: number | null = null) {
    if (to === undefined) throw new Error('no listing');
    const target = { kind: to.kind, id: null };
    const kind = to.kind === 'server' ? 'server_vote' : 'bot_vote';
    const atSite = nextVoteAt === null ? {} : { atSite: { id: null, weight: 1, nextVoteAt } };
    const event: Vote = { family: 'vote', kind, target, userId, at, creditsAwarded: null, denial: null, ...atSite };
    return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, { type: 'event', event, listing: to });
  }

  const switchOn = (store: Store, userId: string, now = start) =>
    store.reminders.switchOn(accountOf(userId), [{ ...listing, nextVoteAt: null }], now);

  it('follow each counted vote of a member who has switched them on, per listing', async () => {
    const { store } = await open();
    expect(await store.reminders.isReminded(accountOf('1'))).toBe(false);
    expect(await switchOn(store, '1')).toEqual([{ listing: 'server', dueAt: null }]);
    expect(await store.reminders.isReminded(accountOf('1'))).toBe(true);
    await castVote(store, '1', start);
    await castVote(store, '1', start + hour, bot);
    await castVote(store, '2', start);
    const due = [
      { userId: '1', listing: 'server', dueAt: start + cooldownMs },
      { userId: '1', listing: 'bot', dueAt: start + hour + cooldownMs },
    ];
    expect(await store.reminders.claim(claimAt(start + cooldownMs - 1))).toEqual([]);
    expect(await store.reminders.claim(claimAt(start + 13 * hour))).toEqual(due);
  });

  it('are due once per vote, also if a late vote or a repeat arrives afterwards', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + 12 * hour;
    const [due] = await store.reminders.claim(claimAt(now));
    if (due === undefined) throw new Error('nothing is due');
    expect(await store.reminders.enqueue(due, firstCommunity, now)).toBe(directMessageQueue('1', firstCommunity));
    expect(await store.reminders.enqueue(due, firstCommunity, now)).toBe(null);
    await castVote(store, '1', start - day);
    await castVote(store, '1', start);
    await castVote(store, '1', start + hour);
    expect(await store.reminders.claim(claimAt(now + 30 * day))).toEqual([]);
    await castVote(store, '1', now + minute);
    expect(await store.reminders.claim(claimAt(now + 30 * day))).toHaveLength(1);
  });

  it('tell when the next vote is due, by the later of what the ledger and the service know', async () => {
    const { store } = await open();
    await castVote(store, '1', start);
    const fromService = (nextVoteAt: number | null) =>
      store.reminders.switchOn(accountOf('1'), [{ ...listing, nextVoteAt }], start + hour);
    expect(await fromService(null)).toEqual([{ listing: 'server', dueAt: start + cooldownMs }]);
    expect(await fromService(start + 2 * hour)).toEqual([{ listing: 'server', dueAt: start + cooldownMs }]);
    expect(await fromService(start + 13 * hour)).toEqual([{ listing: 'server', dueAt: start + 13 * hour }]);
    expect(await store.reminders.claim(claimAt(start + 13 * hour - 1))).toEqual([]);
    expect(await store.reminders.claim(claimAt(start + 13 * hour))).toHaveLength(1);
  });

  it.each([
    ['earlier', 6 * hour],
    ['later', 20 * hour],
  ])(
    'follow what the site of the listing has said of the next vote, also if it is %s than the cooldown',
    async (_, ms) => {
      const { store } = await open();
      const nextVoteAt = start + ms;
      const ofListing = { ...listing, lookup: null, communityId: firstCommunity };
      await castVote(store, '1', start, server, nextVoteAt);
      expect(await switchOn(store, '1')).toEqual([{ listing: 'server', dueAt: nextVoteAt }]);
      await castVote(store, '1', nextVoteAt, atOtherSite, nextVoteAt + ms);
      const dueAt = nextVoteAt + ms;
      expect(await store.reminders.snooze(accountOf('1'), listing, dueAt + day, dueAt - 1)).toEqual({
        ...{ outcome: 'voted', dueAt },
      });
      const checkAt = (now: number) =>
        createVoteCheck({
          lastVote: store.reminders.lastVote,
          keyStatus: async () => undefined,
          clock: manualClock(now),
        })('1', ofListing);
      expect(await checkAt(dueAt - 1)).toEqual({ outcome: 'notYet', nextVoteAt: dueAt });
      expect(await checkAt(dueAt)).toEqual({ outcome: 'mayVote' });
      expect(await store.reminders.claim(claimAt(dueAt - 1))).toEqual([]);
      const [due] = await store.reminders.claim(claimAt(dueAt));
      if (due === undefined) throw new Error('nothing is due');
      await store.reminders.enqueue(due, firstCommunity, dueAt);
      expect(await store.reminders.isCurrent(due, ofListing)).toBe(true);
      // A vote of which the site says nothing is followed by the cooldown again.
      await castVote(store, '1', dueAt, atOtherSite);
      expect(await store.reminders.isCurrent(due, ofListing)).toBe(false);
      expect(await store.reminders.lastVote('1', ofListing)).toEqual({ at: dueAt, nextVoteAt: dueAt + cooldownMs });
    },
  );

  it('are claimed by one of several processes, and by another one when the lease ends', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const users = Array.from({ length: 20 }, (_, index) => String(index + 1));
    for (const userId of users) {
      await switchOn(store, userId);
      await castVote(store, userId, start);
    }
    const now = start + cooldownMs;
    const claims = await Promise.all(
      [store, other, store, other].map(({ reminders }) => reminders.claim(claimAt(now))),
    );
    const claimed = claims.flat().map(({ userId }) => userId);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBeGreaterThanOrEqual(10);
    const rest = await other.reminders.claim(claimAt(now, { limit: 20 }));
    expect(await other.reminders.claim(claimAt(now, { limit: 20 }))).toEqual([]);
    expect(claimed.length + rest.length).toBe(20);
    expect(await other.reminders.claim(claimAt(now + 30 * second, { limit: 30 }))).toHaveLength(20);
  });

  it('become due at once after the clock was set back, whatever was stored before', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    await castVote(store, '1', start + hour, bot);
    const ahead = claimAt(start + cooldownMs, { leaseUntil: start + 20 * hour });
    expect(await store.reminders.claim(ahead)).toHaveLength(1);
    // The lease is longer than any.
    const now = start + cooldownMs + minute;
    expect(await store.reminders.claim(claimAt(now))).toMatchObject([{ listing: 'server' }]);
    expect(await store.reminders.claim(claimAt(now))).toEqual([]);
    const due = await store.reminders.claim(claimAt(start - 30 * day));
    expect(due.map((reminder) => reminder.listing)).toEqual(['server', 'bot']);
  });

  it('are not sent for a vote that the member casts while they are checked', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + cooldownMs;
    const [due] = await store.reminders.claim(claimAt(now));
    if (due === undefined) throw new Error('nothing is due');
    await castVote(store, '1', now);
    expect(await store.reminders.enqueue(due, firstCommunity, now)).toBe(null);
    await store.reminders.postpone(due, now + minute);
    await store.reminders.restore(due);
    expect((await store.records.effects({ state: 'waiting', before: null, limit: 9 })).map(({ kind }) => kind)).toEqual(
      ['announcement', 'announcement'],
    );
    expect(await store.reminders.claim(claimAt(now + 2 * cooldownMs))).toEqual([
      { userId: '1', listing: 'server', dueAt: now + cooldownMs },
    ]);
  });

  it('can be postponed to the time that the service gives', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const [due] = await store.reminders.claim(claimAt(start + cooldownMs));
    if (due === undefined) throw new Error('nothing is due');
    await store.reminders.postpone(due, start + 20 * hour);
    expect(await store.reminders.claim(claimAt(start + 20 * hour - 1))).toEqual([]);
    expect(await store.reminders.claim(claimAt(start + 20 * hour))).toHaveLength(1);
  });

  it('can be snoozed, unless the member has voted meanwhile or switched them off', async () => {
    const { store } = await open();
    const now = start + 13 * hour;
    const snooze = () => store.reminders.snooze(accountOf('1'), listing, now + hour, now);
    expect(await snooze()).toEqual({ outcome: 'off' });
    await switchOn(store, '1');
    await castVote(store, '1', start);
    expect(await snooze()).toEqual({ outcome: 'snoozed', dueAt: now + hour });
    expect(await store.reminders.claim(claimAt(now + hour - 1))).toEqual([]);
    await castVote(store, '1', now);
    expect(await snooze()).toEqual({ outcome: 'voted', dueAt: now + cooldownMs });
    expect(await store.reminders.claim(claimAt(now + hour))).toEqual([]);
    await store.reminders.switchOff(accountOf('1'), null);
    expect(await snooze()).toEqual({ outcome: 'off' });
  });

  it('end when they are switched off, and leave no account behind', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await switchOn(store, '2');
    await castVote(store, '1', start);
    await store.reminders.switchOff(accountOf('1'), null);
    await store.reminders.switchOff(accountOf('2'), null);
    await castVote(store, '1', start + day);
    expect(await store.reminders.claim(claimAt(start + 9 * day))).toEqual([]);
    expect(await store.records.counts()).toMatchObject({ users: 1 });
  });

  it('are switched off for a reason, which one caller is told', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    await store.reminders.stop('1', 'direct_messages_closed', start + hour);
    expect(await store.reminders.claim(claimAt(start + 9 * day))).toEqual([]);
    const stopped = { reason: 'direct_messages_closed', at: start + hour };
    expect(await store.reminders.stateOf(accountOf('1'))).toEqual({
      isOn: false,
      stopped,
      lastVotes: { server: start },
    });
    expect(await store.reminders.membersToInform()).toEqual(['1']);
    const taken = await Promise.all([1, 2, 3].map(() => store.reminders.takeStopReason('1')));
    expect(taken.filter((reason) => reason !== null)).toEqual(['direct_messages_closed']);
    expect(await store.reminders.membersToInform()).toEqual([]);
    expect((await store.reminders.stateOf(accountOf('1'))).stopped).toEqual(stopped);
    await switchOn(store, '1', start + 2 * hour);
    expect((await store.reminders.stateOf(accountOf('1'))).stopped).toBe(null);
  });

  it('and votes of the same member at once leave one reminder, of the last vote', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    for (const userId of ['1', '2', '3', '4', '5']) {
      await Promise.all([
        castVote(store, userId, start),
        switchOn(other, userId),
        castVote(other, userId, start + day),
        store.reminders.snooze(accountOf(userId), listing, start + 40 * day, start + 30 * hour),
      ]);
      const claim = claimAt(start + 30 * day, { maxDueAt: start + 90 * day });
      const due = await store.reminders.claim(claim);
      expect(due.filter((reminder) => reminder.userId === userId).length).toBeLessThanOrEqual(1);
      for (const reminder of due) await store.reminders.enqueue(reminder, firstCommunity, start + 30 * day);
    }
  });
}

describe('reminders', () => describeOnEveryDatabase('reminders', reminderTests));
