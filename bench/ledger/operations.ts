import { hour } from '@tallyhook/platform/durations';
import type { Board, Standings } from '../../src/core/ledger/standing.ts';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import type { Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { accountOf, firstCommunity } from '../../test/support/communities.ts';
import { listing, userId, votersOf } from './fixture.ts';

/** An operation on the ledger; `turn` selects the member, so that consecutive runs use different pages. */
export interface Operation {
  readonly name: string;
  run(turn: number): Promise<unknown>;
}

const entriesOnPage = 100;
const deliveriesOnPage = 50;
const placesOnPage = 10;
/** A prime, so that the turns are spread over the table. */
const leap = 611_953;

const rules = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour };
const server = {
  name: listing,
  kind: 'server',
  id: null,
  rewards: plainRewards(rules),
  community: { id: firstCommunity, guildId: null, timeZone: 'UTC', listings: ['server'] },
  announced: { votes: true, milestones: true, premium: true, party: true },
  announceChannelId: '613425648685547542',
  premiumChannelId: null,
} as const;

/**
 * The queries of members and owner, and the write of a vote, on a ledger of this size. @param now after all of its votes
 * (ms since the epoch)
 */
export function operations(store: Store, standings: Standings, entries: number, now: number): readonly Operation[] {
  const voters = votersOf(entries);
  const member = (turn: number) => userId((turn * leap) % voters);
  /** The first page, and the line of a member. */
  const firstPage = (board: Board) => async (turn: number) =>
    standings.leaderboard({ ...board, limit: placesOnPage, offset: 0, userId: member(turn) }, now);

  return [
    { name: 'balance', run: (turn) => store.ledgerIn(firstCommunity).account(member(turn)) },
    { name: 'last vote', run: (turn) => store.ledgerIn(firstCommunity).lastVoteAt(member(turn), listing) },
    { name: 'rank, streak and newest entries', run: (turn) => standings.standing(member(turn), now) },
    { name: 'leaderboard, votes of the week', run: firstPage({ period: 'week', by: 'votes' }) },
    { name: 'leaderboard, credits of the month', run: firstPage({ period: 'month', by: 'credits' }) },
    { name: 'leaderboard, credits of all time', run: firstPage({ period: 'all', by: 'credits' }) },
    { name: 'leaderboard, streaks', run: firstPage({ period: 'all', by: 'streak' }) },
    { name: 'history page', run: (turn) => store.records.entries(accountOf(member(turn)), entriesOnPage) },
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
