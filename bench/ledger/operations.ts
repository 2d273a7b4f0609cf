import type { Vote } from '../../src/ledger/event.ts';
import { hour } from '../../src/platform/durations.ts';
import { plainRewards } from '../../src/rewards/rules.ts';
import type { Store } from '../../src/store/store.ts';
import { listing, userId, votersOf } from './fixture.ts';

/** An operation on the ledger; `turn` selects the member, so that consecutive runs use different pages. */
export interface Operation {
  readonly name: string;
  run(turn: number): Promise<unknown>;
}

const entriesOnPage = 100;
const deliveriesOnPage = 50;
const placesOnPage = 10;
const ranked = 1_000;
/** A prime, so that the turns are spread over the table. */
const leap = 611_953;

const rules = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour };
const server = {
  name: listing,
  kind: 'server',
  rewards: plainRewards(rules),
  community: { guildId: null, timeZone: 'UTC', listings: ['server'] },
  announceChannelId: '613425648685547542',
  premiumChannelId: null,
} as const;

/** The queries of members and owner, and the write of a vote, on a ledger of this size. */
export async function operations(store: Store, entries: number): Promise<readonly Operation[]> {
  const voters = votersOf(entries);
  const member = (turn: number) => userId((turn * leap) % voters);
  // A ledger kept from an earlier run also contains that run's votes.
  const [newest] = await store.records.deliveries({ outcome: null, limit: 1, before: null });
  const now = (newest?.receivedAt ?? 0) + 13 * hour;

  return [
    { name: 'balance', run: (turn) => store.ledger.account(member(turn)) },
    { name: 'last vote', run: (turn) => store.ledger.lastVoteAt(member(turn), listing) },
    {
      name: 'leaderboard page',
      run: (turn) => store.ledger.leaderboard({ limit: placesOnPage, offset: (turn * placesOnPage) % ranked }),
    },
    { name: 'history page', run: (turn) => store.records.entries(member(turn), entriesOnPage) },
    {
      name: 'deliveries page',
      run: (turn) =>
        store.records.deliveries({
          outcome: null,
          limit: deliveriesOnPage,
          before: entries - ((turn * leap) % entries),
        }),
    },
    { name: 'credit, committed', run: (turn) => credit(store, member(turn), now + turn) },
  ];
}

/** One durable vote in its own transaction: event, entry, balance and effect. */
async function credit(store: Store, voter: string, at: number): Promise<void> {
  const vote: Vote = {
    family: 'vote',
    kind: 'server_vote',
    target: { kind: 'server', id: '613425648685547541' },
    userId: voter,
    at,
    creditsAwarded: true,
    denial: null,
  };
  const delivery = { receivedAt: at, family: 'vote', body: JSON.stringify(vote) } as const;
  const { outcome } = await store.recorder.record(delivery, { type: 'event', event: vote, listing: server });
  if (outcome !== 'recorded') throw new Error(`A vote was ${outcome}.`);
}
