import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { directMessageKind, isOf } from '../../../src/core/outbox/effect-kind.ts';
import { createReminderPreparation, createVoteCheck, type VoteCheck } from '../../../src/features/reminders/due.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { takeDue } from '../../support/due-effects.ts';
import { serverAndBot } from '../../support/listings.ts';
import { recordVote } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 0, 5, 12);
const cooldownMs = 12 * hour;
const [server, bot] = serverAndBot();
const listing = { name: 'server', cooldownMs };
/** A time that the site of the listing states is the truth. */
const atOtherSite = {
  ...server,
  rewards: { ...server.rewards, base: { ...server.rewards.base, site: { retryHorizonMs: minute } } },
};

const ofListing = { ...listing, lookup: null, communityId: firstCommunity };

/** The reminders that are due, which are not due again. */
async function dueAt(store: Store, now: number) {
  const effects = await takeDue(store, now);
  return effects.flatMap((effect) => {
    if (!isOf(directMessageKind, effect)) return [];
    const { userId, message } = effect.content;
    const { type: _, ...notice } = message as typeof message & { readonly listing: string; readonly dueAt: number };
    return { userId, ...notice };
  });
}

describeOnEveryDatabase('reminders', (newUrl) => {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<{ store: Store; url: string }> {
    const clock = storeClock(manualClock(start));
    const store = await openStore(url, clock, { thread });
    onTestFinished(() => store.close());
    return { store, url };
  }

  /** @param nextVoteAt what the site of the listing says of the next vote, if it says anything */
  const castVote = (store: Store, userId: string, at: number, to = server, nextVoteAt: number | null = null) =>
    recordVote(store, to, userId, at, nextVoteAt === null ? {} : { atSite: { id: null, weight: 1, nextVoteAt } });

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
    expect(await dueAt(store, start + cooldownMs - 1)).toEqual([]);
    expect(await dueAt(store, start + 13 * hour)).toEqual(due);
  });

  it('are due once per vote, also if a late vote or a repeat arrives afterwards', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + 12 * hour;
    expect(await dueAt(store, now)).toHaveLength(1);
    await castVote(store, '1', start - day);
    await castVote(store, '1', start);
    await castVote(store, '1', start + hour);
    expect(await dueAt(store, now + 30 * day)).toEqual([]);
    await castVote(store, '1', now + minute);
    expect(await dueAt(store, now + 30 * day)).toHaveLength(1);
  });

  it('tell when the next vote is due, by the later of what the ledger and the service know', async () => {
    const { store } = await open();
    await castVote(store, '1', start);
    const fromService = (nextVoteAt: number | null) =>
      store.reminders.switchOn(accountOf('1'), [{ ...listing, nextVoteAt }], start + hour);
    expect(await fromService(null)).toEqual([{ listing: 'server', dueAt: start + cooldownMs }]);
    expect(await fromService(start + 2 * hour)).toEqual([{ listing: 'server', dueAt: start + cooldownMs }]);
    expect(await fromService(start + 13 * hour)).toEqual([{ listing: 'server', dueAt: start + 13 * hour }]);
    expect(await dueAt(store, start + 13 * hour - 1)).toEqual([]);
    expect(await dueAt(store, start + 13 * hour)).toHaveLength(1);
  });

  it.each([
    ['earlier', 6 * hour],
    ['later', 20 * hour],
  ])(
    'follow what the site of the listing has said of the next vote, also if it is %s than the cooldown',
    async (_, ms) => {
      const { store } = await open();
      const nextVoteAt = start + ms;
      await castVote(store, '1', start, server, nextVoteAt);
      expect(await switchOn(store, '1')).toEqual([{ listing: 'server', dueAt: nextVoteAt }]);
      await castVote(store, '1', nextVoteAt, atOtherSite, nextVoteAt + ms);
      const again = nextVoteAt + ms;
      expect(await store.reminders.snooze(accountOf('1'), [listing], again + day, again - 1)).toEqual({
        ...{ outcome: 'voted', dueAt: again },
      });
      const checkAt = (now: number) =>
        createVoteCheck(store.reminders.lastVote, async () => undefined, manualClock(now))('1', ofListing);
      expect(await checkAt(again - 1)).toEqual({ outcome: 'notYet', nextVoteAt: again });
      expect(await checkAt(again)).toEqual({ outcome: 'mayVote' });
      expect(await dueAt(store, again - 1)).toEqual([]);
      const [due] = await dueAt(store, again);
      if (due === undefined) throw new Error('nothing is due');
      expect(await store.reminders.isCurrent(due, ofListing)).toBe(true);
      // A vote of which the site says nothing is followed by the cooldown again.
      await castVote(store, '1', again, atOtherSite);
      expect(await store.reminders.isCurrent(due, ofListing)).toBe(false);
      expect(await store.reminders.lastVote('1', ofListing)).toEqual({ at: again, nextVoteAt: again + cooldownMs });
    },
  );

  /** What is decided of the reminder that is due now. */
  async function decide(store: Store, now: number, check: VoteCheck, changes = {}) {
    const [effect] = await takeDue(store, now);
    if (effect === undefined || !isOf(directMessageKind, effect)) throw new Error('nothing is due');
    const { type: _, ...notice } = effect.content.message as never as { type: string; listing: string; dueAt: number };
    const outcomes: string[] = [];
    const context = {
      store,
      reminders: { findListing: () => ofListing },
      config: { reminders: true },
      directory: { communities: [{ id: firstCommunity, timeZone: 'UTC', listings: [server, bot] }] },
      clock: manualClock(now),
      ...changes,
    };
    const prepare = createReminderPreparation(
      context,
      async () => check,
      (outcome) => outcomes.push(outcome),
    );
    return { result: await prepare(notice, effect), outcomes, again: () => prepare(notice, effect) };
  }

  it('are sent only if the service or the ledger confirms them, and postponed to the time that it gives', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + cooldownMs;
    const nextVoteAt = start + 20 * hour;
    const early = await decide(store, now, { outcome: 'notYet', nextVoteAt });
    expect([early.result, early.outcomes]).toEqual([null, ['not_yet']]);
    expect(await dueAt(store, nextVoteAt - 1)).toEqual([]);
    const unknown = await decide(store, nextVoteAt, { outcome: 'unknown' });
    expect(unknown.result).toMatchObject({ outcome: 'later', retryAfterMs: 30 * second, notSent: true });
    expect(await unknown.again()).toMatchObject({ outcome: 'later' });
    await castVote(store, '1', nextVoteAt);
    const due = await decide(store, nextVoteAt + cooldownMs, { outcome: 'mayVote' });
    expect([due.result, due.outcomes]).toMatchObject([{ message: { listing: 'server' }, channelId: null }, ['due']]);
  });

  it('wait for listings that are not configured, and for reminders to be offered again', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + cooldownMs;
    expect(
      (await decide(store, now, { outcome: 'mayVote' }, { reminders: { findListing: () => undefined } })).result,
    ).toBe(null);
    expect((await decide(store, now + day, { outcome: 'mayVote' }, { config: { reminders: false } })).result).toBe(
      null,
    );
    expect((await decide(store, now + 2 * day, { outcome: 'mayVote' })).result).toMatchObject({
      message: { listing: 'server' },
    });
  });

  it('are due at once after the clock was set back, whatever was stored before, and are planned again', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await store.reminders.snooze(accountOf('1'), [listing], start + 40 * day, start + 30 * day);
    const now = start + hour;
    expect(await dueAt(store, now)).toEqual([]);
    await store.upkeep.wakePlanned(now);
    expect((await decide(store, now, { outcome: 'notYet', nextVoteAt: start + cooldownMs })).result).toBe(null);
    await store.upkeep.wakePlanned(now);
    expect(await dueAt(store, start + cooldownMs - 1)).toEqual([]);
    expect(await dueAt(store, start + cooldownMs)).toHaveLength(1);
  });

  it('are not sent for a vote that the member casts while they are checked', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    const now = start + cooldownMs;
    const [due] = await dueAt(store, now);
    if (due === undefined) throw new Error('nothing is due');
    await castVote(store, '1', now);
    expect(await store.reminders.isCurrent(due, ofListing)).toBe(false);
    await store.reminders.postpone(accountOf('1'), { ...due, dueAt: now + minute }, now);
    expect(await dueAt(store, now + 2 * cooldownMs)).toEqual([
      { userId: '1', listing: 'server', dueAt: now + cooldownMs },
    ]);
  });

  it('can be snoozed, unless the member has voted meanwhile or switched them off', async () => {
    const { store } = await open();
    const now = start + 13 * hour;
    const snooze = () => store.reminders.snooze(accountOf('1'), [listing], now + hour, now);
    expect(await snooze()).toEqual({ outcome: 'off' });
    await switchOn(store, '1');
    await castVote(store, '1', start);
    expect(await snooze()).toEqual({ outcome: 'snoozed', dueAt: now + hour, listings: ['server'] });
    expect(await dueAt(store, now + hour - 1)).toEqual([]);
    await castVote(store, '1', now);
    expect(await snooze()).toEqual({ outcome: 'voted', dueAt: now + cooldownMs });
    expect(await dueAt(store, now + hour)).toEqual([]);
    await store.reminders.switchOff(accountOf('1'));
    expect(await snooze()).toEqual({ outcome: 'off' });
  });

  it('end when they are switched off, and leave no account behind', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await switchOn(store, '2');
    await castVote(store, '1', start);
    await store.reminders.switchOff(accountOf('1'));
    await store.reminders.switchOff(accountOf('2'));
    await castVote(store, '1', start + day);
    expect(await dueAt(store, start + 9 * day)).toEqual([]);
    expect(await store.records.counts()).toMatchObject({ users: 1 });
  });

  it('are switched off for a reason, which one caller is told', async () => {
    const { store } = await open();
    await switchOn(store, '1');
    await castVote(store, '1', start);
    await store.reminders.stop('1', 'direct_messages_closed', start + hour);
    expect(await dueAt(store, start + 9 * day)).toEqual([]);
    const stopped = { reason: 'direct_messages_closed', at: start + hour };
    expect(await store.reminders.stateOf(accountOf('1'))).toEqual({
      isOn: false,
      stopped,
      lastVotes: { server: start },
      choices: { muted: [], quiet: null, inChannel: false, isClosed: false },
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
        store.reminders.snooze(accountOf(userId), [listing], start + 40 * day, start + 30 * hour),
      ]);
      const due = await dueAt(store, start + 50 * day);
      expect(due.filter((reminder) => reminder.userId === userId).length).toBeLessThanOrEqual(1);
    }
  });
});
