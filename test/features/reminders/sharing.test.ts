import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { onFinished, sharedByTests } from '@tallyhook/platform/testing/on-finished';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accountIdOf, type CommunityId } from '../../../src/core/ledger/account.ts';
import type { DirectMessage, Effect } from '../../../src/core/outbox/effect-kind.ts';
import { queueName } from '../../../src/core/outbox/queue.ts';
import { createReminderPreparation, createVoteCheck } from '../../../src/features/reminders/due.ts';
import { noticesOf, type ReminderMessage } from '../../../src/features/reminders/store.ts';
import { openStore } from '../../../src/features/store.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { recordVote } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 2, 1, 12);
const cooldownMs = 12 * hour;
const [server] = serverAndBot();

interface Sent {
  readonly at: number;
  readonly community: CommunityId;
  readonly said: readonly string[];
}

/** Two communities with four listings each, and what prepares their reminders. */
async function startCommunities() {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), storeClock(clock), { thread: false });
  onFinished(() => store.close());
  const communityIds = [firstCommunity, await addCommunity(store, '613425648685547542')];
  const listings = communityIds.flatMap((id) => {
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${letter}${id}`);
    return names.map((name) => ({ ...server, name, community: { ...server.community, id, listings: names } }));
  });
  const checked = listings.map(({ name, community: { id: communityId } }) => {
    return { name, cooldownMs, lookup: null, communityId };
  });
  const prepare = createReminderPreparation(
    {
      store,
      reminders: { findListing: (name) => checked.find((each) => each.name === name) },
      config: { reminders: true },
      directory: { communities: communityIds.map((id) => ({ id, timeZone: 'UTC', listings })) },
      clock,
    },
    createVoteCheck(store.reminders.lastVote, async () => undefined, clock),
    () => {},
  );
  const setTime = (at: number) => clock.shiftWallClock(at - clock.now());

  /** What the outbox does each minute: everything that is due, one effect after another. */
  async function sendDue(userId: string): Promise<readonly Sent[]> {
    const at = clock.now();
    await store.outbox.enqueuePlanned(at, 100);
    const sent: Sent[] = [];
    for (const community of communityIds) {
      const queue = queueName('dm', community, userId);
      for (;;) {
        const [effect] = await store.outbox.claim(queue, at, at + minute, 1);
        if (effect === undefined || !('content' in effect)) break;
        const { message } = (effect as Effect<DirectMessage>).content;
        const result = await prepare(message as never as ReminderMessage, effect as Effect<DirectMessage>);
        if (result !== null && 'message' in result) {
          const said = noticesOf(result.message).map(
            ({ listing, dueAt }) => `${listing} ${Math.max(at, dueAt) - start}`,
          );
          sent.push({ at, community, said });
        }
        await store.outbox.done([effect], at);
      }
    }
    return sent;
  }

  /** A member with reminders who voted at these minutes for the listings of the first community. */
  async function memberWith(userId: string, minutes: Readonly<Record<string, number>>, chosen = {}) {
    setTime(start);
    await store.reminders.switchOn(
      accountIdOf(firstCommunity, userId),
      checked.slice(0, 4).map((each) => ({ ...each, nextVoteAt: null })),
      start,
      chosen,
    );
    for (const [name, after] of Object.entries(minutes)) {
      const to = listings.find((each) => each.name === name);
      if (to !== undefined) await recordVote(store, to, userId, start + after * minute);
    }
    return async (after: number) => {
      setTime(start + cooldownMs + after * minute);
      return (await sendDue(userId)).map(({ said }) => said.map((each) => each.split(' ')[0]).join(' '));
    };
  }

  return { store, clock, communityIds, listings, prepare, setTime, sendDue, memberWith };
}

const shared = sharedByTests(startCommunities);

it('mention each vote once: due, or within half an hour of the first one that is, apart for each community', async () => {
  const { store, communityIds, listings, setTime, sendDue } = shared();
  let members = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ listing: fc.nat(listings.length - 1), after: fc.nat(100) }), {
        ...{ selector: ({ listing }) => listing, minLength: 1, maxLength: 8 },
      }),
      async (votes) => {
        members += 1;
        const userId = String(members);
        setTime(start);
        for (const community of communityIds) {
          await store.reminders.switchOn(accountIdOf(community, userId), [], start);
        }
        for (const { listing, after } of votes) {
          const to = listings[listing];
          if (to !== undefined) await recordVote(store, to, userId, start + after * minute);
        }
        const sent: Sent[] = [];
        for (let after = 0; after <= 110; after += 1) {
          setTime(start + cooldownMs + after * minute);
          sent.push(...(await sendDue(userId)));
        }

        // The model: of the votes that are left, the first one is said at its time, with those of the half hour after it.
        const expected = communityIds.flatMap((community) => {
          let left = votes
            .map(({ listing, after }) => ({ ...listings[listing], dueAt: start + cooldownMs + after * minute }))
            .filter((each) => each.community?.id === community)
            .toSorted((a, b) => a.dueAt - b.dueAt);
          const messages: Sent[] = [];
          while (left.length > 0) {
            const at = Math.min(...left.map(({ dueAt }) => dueAt));
            const together = left.filter(({ dueAt }) => dueAt - at <= 30 * minute);
            left = left.filter((each) => !together.includes(each));
            messages.push({ at, community, said: together.map(({ name, dueAt }) => `${name} ${dueAt - start}`) });
          }
          return messages;
        });
        const plain = (all: readonly Sent[]) =>
          all.map(({ at, community, said }) => `${community} ${at - start}: ${said.toSorted().join(', ')}`).toSorted();
        expect(plain(sent)).toEqual(plain(expected));
      },
    ),
    { numRuns: 25 },
  );
});

it('come at the end of quiet hours, once, with all that became due in them', async () => {
  const { memberWith } = shared();
  // From midnight, when the votes are due, until 8:00.
  const at = await memberWith('quiet', { a1: 0, b1: 40, c1: 470, d1: 520 }, { quiet: { from: 0, until: 8 * 60 } });
  expect([await at(0), await at(45), await at(479)]).toEqual([[], [], []]);
  expect(await at(480)).toEqual(['a1 b1 c1']);
  expect(await at(520)).toEqual(['d1']);
});

it('are quiet, and go on in a channel, only in the community for which the member has chosen it', async () => {
  const { store, communityIds, setTime, sendDue, memberWith } = shared();
  const userId = 'two communities';
  const at = await memberWith(userId, { a1: 0 }, { quiet: { from: 0, until: 8 * 60 } });
  const [first, second] = communityIds.map((id) => accountIdOf(id, userId));
  if (first === undefined || second === undefined) throw new Error('no community');
  await store.reminders.switchOn(second, [], start);
  const to = shared().listings.find(({ name }) => name === 'a2');
  if (to !== undefined) await recordVote(store, to, userId, start + minute);
  setTime(start + cooldownMs + minute);
  expect(await sendDue(userId)).toMatchObject([{ community: communityIds[1], said: [expect.stringMatching(/^a2 /)] }]);
  expect(await at(480)).toEqual(['a1']);
  expect((await store.reminders.stateOf(second)).choices.quiet).toBe(null);
  // Discord rejects direct messages, and only the first community has a channel that the member wants.
  await store.reminders.switchOn(first, [], start, { inChannel: true });
  await store.reminders.stop(userId, 'direct_messages_closed', start, [...communityIds]);
  expect((await store.reminders.stateOf(first)).isOn).toBe(true);
  expect((await store.reminders.stateOf(second)).isOn).toBe(false);
});

it('leave out a listing that the member has switched off, and begin with the only one that is switched on', async () => {
  const { store, memberWith } = shared();
  const at = await memberWith('muted', { a1: 0, b1: 5 }, { listing: 'b1' });
  expect(await at(10)).toEqual(['b1']);
  const other = await memberWith('muted later', { a1: 0, b1: 5 });
  await store.reminders.mute(accountIdOf(firstCommunity, 'muted later'), { name: 'a1', cooldownMs });
  expect([await other(0), await other(5)]).toEqual([[], ['b1']]);
});

it('are sent again as they are after a crash, and checked again after an attempt that sent nothing', async () => {
  const { store, clock, listings, setTime, sendDue, prepare, memberWith } = shared();
  await memberWith('crash', { a1: 0, b1: 10 });
  const queue = queueName('dm', firstCommunity, 'crash');
  const now = start + cooldownMs;
  setTime(now);
  await store.outbox.enqueuePlanned(now, 100);
  const claim = async () => {
    const [effect] = await store.outbox.claim(queue, clock.now(), clock.now() + minute, 1);
    if (effect === undefined || !('content' in effect)) throw new Error('nothing is due');
    return effect as Effect<DirectMessage>;
  };
  const prepared = async (effect: Effect<DirectMessage>) => {
    const result = await prepare(effect.content.message as never as ReminderMessage, effect);
    return result !== null && 'message' in result ? noticesOf(result.message).map(({ listing }) => listing) : result;
  };
  const effect = await claim();
  expect(await prepared(effect)).toEqual(['a1', 'b1']);
  // Nothing is stored of the attempt: the process was killed.
  setTime(now + 2 * minute);
  const again = await claim();
  expect([again.id, await prepared(again)]).toEqual([effect.id, ['a1', 'b1']]);
  await store.outbox.release([{ ...again, possiblySentSince: null }], clock.now(), 'Discord is down');
  const to = listings[0];
  setTime(now + 11 * minute);
  if (to !== undefined) await recordVote(store, to, 'crash', clock.now());
  const last = await claim();
  expect(await prepared(last)).toEqual(['b1']);
  await store.outbox.done([last], clock.now());
  // What was said is not said again.
  setTime(now + 40 * minute);
  expect(await sendDue('crash')).toEqual([]);
});
