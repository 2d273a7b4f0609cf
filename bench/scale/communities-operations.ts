import { hour } from '@tallyhook/platform/durations';
import type { CommunityId } from '../../src/core/ledger/account.ts';
import type { Standings } from '../../src/core/ledger/standing.ts';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import { partyAnnounced } from '../../src/features/party/rules.ts';
import type { Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { type CommunitySizes, communityIdOf, guildIdOf, listing, memberIdOf } from './communities-fill.ts';

/** What members do. Each turn is for another community and member. */
export interface CommunityOperation {
  readonly name: string;
  /** Runs before it and is not measured: a vote in the community, after which its ranking is out of date. */
  prepare?(): Promise<void>;
  run(): Promise<unknown>;
}

/** Primes, so that the turns are spread over communities and members. */
const communityStride = 617;
const memberStride = 6_151;
/** Accounts of a community that are ranked again in every turn. */
const maxRankedAgain = 20_000;
const rules = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour };

/** @param now after all votes of the database (ms since the epoch) */
export function communityOperations(store: Store, sizes: CommunitySizes, now: number): readonly CommunityOperation[] {
  const { communities, members } = sizes;
  // What was read of a large community is used for five seconds, so every turn is for another one.
  // Of ten million accounts, there is one for the whole run.
  let standings: Standings | undefined;
  const rank = (communityId: CommunityId) => {
    if (standings === undefined || members <= maxRankedAgain) standings = store.standingsIn(communityId, 'UTC');
    return standings;
  };
  const firstPage = (standings: Standings, { userId, at }: Place) =>
    standings.leaderboard({ period: 'week', by: 'votes', limit: 10, offset: 0, userId }, at);
  let turns = 0;
  /** The next community and member, and a time that is later than the cooldown of the member's last vote. */
  const next = () => {
    turns += 1;
    const community = (turns * communityStride) % communities;
    const member = (turns * memberStride) % members;
    return {
      guildId: guildIdOf(community),
      communityId: communityIdOf(community),
      userId: memberIdOf(sizes, community, member),
      at: now + turns * 1_000 + Math.floor(turns / members) * 13 * hour,
    };
  };
  let place = next();
  const vote = async () => {
    place = next();
    await recordVote(store, place);
  };

  return [
    { name: 'a vote, committed', run: vote },
    {
      name: '/canvote',
      run: () => {
        const { communityId, userId } = next();
        return store.ledgerIn(communityId).lastVoteAt(userId, listing);
      },
    },
    {
      name: '/leaderboard, a new ranking',
      prepare: async () => {
        await vote();
        standings = members <= maxRankedAgain ? undefined : standings;
      },
      run: () => firstPage(rank(place.communityId), place),
    },
    {
      name: '/leaderboard, the same ranking',
      prepare: async () => {
        await vote();
        await firstPage(rank(place.communityId), place);
      },
      run: () => firstPage(standings ?? rank(place.communityId), place),
    },
    {
      name: '/credits',
      prepare: async () => {
        await vote();
        await rank(place.communityId).standing(place.userId, place.at);
      },
      run: () => {
        const { communityId, userId, at } = place;
        const ranked = standings ?? rank(communityId);
        return Promise.all([store.ledgerIn(communityId).account(userId), ranked.standing(userId, at)]);
      },
    },
  ];
}

interface Place {
  readonly guildId: string;
  readonly communityId: CommunityId;
  readonly userId: string;
  readonly at: number;
}

async function recordVote(store: Store, { guildId, communityId, userId, at }: Place): Promise<void> {
  const vote: Vote = {
    family: 'vote',
    kind: 'server_vote',
    target: { kind: 'server', id: guildId },
    userId,
    at,
    creditsAwarded: true,
    denial: null,
  };
  const delivery = { receivedAt: at, family: 'vote', body: JSON.stringify(vote) } as const;
  const { outcome } = await store.recorder.record(delivery, {
    type: 'event',
    event: vote,
    listing: {
      name: listing,
      kind: 'server',
      id: null,
      rewards: plainRewards(rules),
      community: { id: communityId, guildId, timeZone: 'UTC', listings: [listing] },
      announced: { votes: true, milestones: true, premium: true, ...partyAnnounced.as(true) },
      announceChannelId: guildId,
      premiumChannelId: null,
    },
  });
  if (outcome !== 'recorded') throw new Error(`A vote was ${outcome}.`);
}
