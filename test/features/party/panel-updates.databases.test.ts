import { day, hour, second } from '@tallyhook/platform/durations';
import { expect, it } from 'vitest';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { partyKey } from '../../../src/features/party/rules.ts';
import type { Store } from '../../../src/features/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { announceChannel as channelId, serverAndBot } from '../../support/listings.ts';
import { channelQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';
import { openLedger } from '../../support/voting.ts';

/** A Monday. */
const start = Date.UTC(2026, 0, 5, 12);
const period = partyKey(firstCommunity, 'week 2026-W02');
const endsAt = Date.UTC(2026, 0, 12);
const message = { id: '9', channelId };

function serverWithParty(changes: Partial<ListingContext> = {}): ListingContext {
  const [server] = serverAndBot();
  const rewards = { ...server.rewards, party: { goal: 3, per: 'week', credits: 25 } as const };
  return { ...server, rewards, ...changes };
}

describeOnEveryDatabase('panels of parties', (newUrl) => {
  const open = () => openLedger(newUrl(), start);

  const castVote = (store: Store, userId: number, at: number, listing = serverWithParty()) =>
    recordVote(store, listing, String(userId), at);

  /** The effects of parties that are due, which are done with this. Planned ones enter their queue first. */
  async function due(store: Store, now: number): Promise<unknown[]> {
    await store.outbox.enqueuePlanned(now, 100);
    const kinds = [];
    for (const queue of [channelId, 'party']) {
      for (;;) {
        const effects = await store.outbox.claim(channelQueue(queue), now, now + second, 1);
        if (effects.length === 0) break;
        kinds.push(...effects.map(({ kind, content }: { kind: string; content?: object }) => ({ kind, ...content })));
        await store.outbox.done(effects, now);
      }
    }
    return kinds.filter(({ kind }) => kind.startsWith('party') && kind !== 'partyReward');
  }

  const panel = { kind: 'partyPanel', channelId, period };
  const shown = (votes: number, isFinal = false) => ({ message, votes, isFinal });

  it('have one waiting update for all votes, and the next one 10 seconds after it', async () => {
    const store = await open();
    for (const userId of [1, 2]) await castVote(store, userId, start, serverWithParty());
    expect(await store.party.find(period, start)).toEqual({
      ...{ votes: 2, reachedAt: null, channelId, goal: 3, credits: 25, endsAt, message: null },
    });
    expect(await due(store, start)).toEqual([panel]);
    await store.party.updated(period, shown(2), start + second);
    expect(await due(store, start + day)).toEqual([]);
    await castVote(store, 3, start + 2 * second);
    await castVote(store, 4, start + 3 * second);
    // The goal's own message does not wait.
    expect(await due(store, start + 11 * second - 1)).toMatchObject([{ kind: 'partyReached', goal: 3, credits: 25 }]);
    expect(await store.party.find(period, start + 3 * second)).toBe(null);
    expect(await due(store, start + 11 * second)).toEqual([panel]);
    expect(await store.party.find(period, start + 11 * second)).toMatchObject({ votes: 4, message });
    await store.party.updated(period, shown(4, true), start + 12 * second);
    // Further votes change nothing.
    await castVote(store, 5, start + hour);
    expect(await due(store, start + day)).toEqual([]);
  });

  it('are updated again after votes that arrived during an update, also if it is carried out twice', async () => {
    const store = await open();
    await castVote(store, 1, start);
    expect(await due(store, start)).toEqual([panel]);
    await castVote(store, 2, start + second);
    expect(await due(store, start + second)).toEqual([]);
    await store.party.updated(period, shown(1), start + 2 * second);
    await store.party.updated(period, shown(1), start + 3 * second);
    expect(await due(store, start + day)).toEqual([panel]);
  });

  it('are updated at the end of the period', async () => {
    const store = await open();
    await castVote(store, 1, start);
    await due(store, start);
    await store.party.updated(period, shown(1), start);
    expect(await due(store, endsAt - 1)).toEqual([]);
    expect(await due(store, endsAt)).toEqual([panel]);
  });

  it('follow a clock that was set back', async () => {
    const store = await open();
    await castVote(store, 1, start + hour);
    await due(store, start + hour);
    await store.party.updated(period, shown(1), start + hour);
    await castVote(store, 2, start + hour + second);
    // Its update is planned an hour ahead now.
    await castVote(store, 3, start);
    expect((await due(store, start + 10 * second)).slice(-1)).toEqual([panel]);
  });

  it('are posted in the channel of a later vote after Discord has rejected them', async () => {
    const store = await open();
    await castVote(store, 1, start);
    await due(store, start);
    await store.party.rejected(period);
    const elsewhere = serverWithParty({ announceChannelId: '7' });
    await castVote(store, 2, start + hour, elsewhere);
    expect(await store.party.find(period, start + hour)).toMatchObject({ channelId: '7', votes: 2, endsAt });
  });

  it('are not created without a channel', async () => {
    const store = await open();
    await castVote(store, 1, start, serverWithParty({ announceChannelId: null }));
    expect(await store.party.find(period, start)).toBe(null);
    expect(await due(store, endsAt)).toEqual([]);
    await castVote(store, 2, start + second);
    expect(await due(store, start + second)).toEqual([panel]);
  });
});
