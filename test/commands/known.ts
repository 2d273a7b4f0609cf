import type { CommandContext, CommandInput, ListedLookup, OptionValue } from '../../commands/command.ts';
import { LookupUnreachable } from '../../src/lookup/failures.ts';
import type { CachedValue, ListingKind, Lookup } from '../../src/lookup/lookup.ts';
import type {
  BotProfile,
  CachedReviews,
  CachedVoteStatus,
  ProfileByKind,
  Review,
  ServerProfile,
} from '../../src/lookup/schemas.ts';
import { withSecondsLeft } from '../../src/lookup/ttl.ts';
import { en } from '../../src/texts/en.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

export const start = Date.UTC(2026, 0, 1);
export const asker = '200000000000000001';
export const other = '200000000000000002';

export const server: ServerProfile = {
  kind: 'server',
  id: '300000000000000001',
  name: 'Lantern Harbour',
  description: 'A quiet place.',
  votes: 1_234_567,
  monthlyVotes: 8_910,
  tags: ['calm', 'boats'],
  category: 'Community',
  members: 20_500,
  online: 1_024,
  features: ['COMMUNITY'],
  emojis: [],
  channelCount: 12,
  roleCount: 7,
  rules: ['Be kind.'],
  url: 'https://listing.example/server/1',
};

export const bot: BotProfile = {
  kind: 'bot',
  id: '300000000000000002',
  name: 'Lamplighter',
  description: null,
  votes: 42,
  tags: [],
  servers: 3_000,
  shards: 2,
  url: 'https://listing.example/bot/2',
};

export const reviewOf = (changes: Partial<Review> = {}): Review => ({
  username: 'mira',
  rating: 5,
  comment: 'Lovely.',
  createdAt: start,
  ...changes,
});

type Answers = Partial<{
  profile: () => Promise<ProfileByKind[ListingKind]>;
  voteStatus: (userId: string) => CachedVoteStatus;
  reviews: (query: { sort: string; limit: number }) => CachedReviews;
  /** Since when nothing newer is known. */
  staleSince: number;
}>;

/** What a service would say; where nothing is said it is unreachable. */
export function knowing(kind: ListingKind, answers: Answers): Lookup {
  const known = <Value>(value: Value): CachedValue<Value> => ({
    value,
    asOf: answers.staleSince ?? start,
    stale: answers.staleSince !== undefined,
  });
  const unreachable = () => new LookupUnreachable('connect ECONNREFUSED', new Error('connect ECONNREFUSED'));
  return {
    kind,
    async profile() {
      if (answers.profile === undefined) throw unreachable();
      return known(await answers.profile());
    },
    async voteStatus(userId) {
      if (answers.voteStatus === undefined) throw unreachable();
      return known(withSecondsLeft(answers.voteStatus(userId), start));
    },
    async reviews({ sort = 'newest', limit = 10 } = {}) {
      if (answers.reviews === undefined) throw unreachable();
      const found = answers.reviews({ sort, limit });
      return known({ ...found, shown: found.reviews.length });
    },
  };
}

export function services(...listings: ListedLookup[]): CommandContext & { clock: ManualClock } {
  return { listings, texts: en, clock: manualClock(start) };
}

export function asked(options: Record<string, OptionValue> = {}): CommandInput {
  return { options, userId: asker };
}
