import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';
import type { CommandContext } from '../../commands/context.ts';
import type { CommandInput, ListedLookup } from '../../src/discord/commands/command.ts';
import type { OptionValue } from '../../src/discord/commands/reply.ts';
import { withSecondsLeft } from '../../src/lookup/cache.ts';
import type {
  BotProfile,
  CachedReviews,
  CachedValue,
  CachedVoteStatus,
  ListingKind,
  Lookup,
  ProfileByKind,
  Review,
  ServerProfile,
} from '../../src/lookup/lookup.ts';
import { LookupError } from '../../src/lookup/lookup-error.ts';
import { textsIn } from '../../src/texts/texts.ts';

const en = textsIn('en-US');

export const start = Date.UTC(2026, 0, 1);
export const memberId = '200000000000000001';
export const otherMemberId = '200000000000000002';

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

type Responses = Partial<{
  profile: () => Promise<ProfileByKind[ListingKind]>;
  voteStatus: (userId: string) => CachedVoteStatus;
  reviews: (query: { sort: string; limit: number }) => CachedReviews;
  cachedProfile: ProfileByKind[ListingKind];
  cachedVoteStatus: (userId: string) => CachedVoteStatus;
  /** Makes every value stale, from this time (ms since the epoch). */
  staleSince: number;
}>;

/** A lookup client with these responses; the service is unreachable for all others. */
export function fakeLookup(kind: ListingKind, responses: Responses): Lookup {
  const cached = <Value>(value: Value): CachedValue<Value> => ({
    value,
    asOf: responses.staleSince ?? start,
    stale: responses.staleSince !== undefined,
  });
  const unreachable = () => new LookupError('lookup_unreachable', 'connect ECONNREFUSED');
  return {
    kind,
    async profile() {
      if (responses.profile === undefined) throw unreachable();
      return cached(await responses.profile());
    },
    async voteStatus(userId) {
      if (responses.voteStatus === undefined) throw unreachable();
      return cached(withSecondsLeft(responses.voteStatus(userId), start));
    },
    async reviews({ sort = 'newest', limit = 10 } = {}) {
      if (responses.reviews === undefined) throw unreachable();
      const page = responses.reviews({ sort, limit });
      return cached({ ...page, shown: page.reviews.length });
    },
    cached: {
      profile: async () => responses.cachedProfile ?? null,
      voteStatus: async (userId) => responses.cachedVoteStatus?.(userId) ?? null,
    },
  };
}

/** The context of commands that ask for these listings. It has no accounts and no store: what needs them is passed. */
export function contextFor(...listings: ListedLookup[]): CommandContext & { clock: ManualClock } {
  const context: Partial<CommandContext> & { clock: ManualClock } = {
    ...{ listings, isShared: false, communities: null, texts: en, clock: manualClock(start), commands: [], rules: [] },
    commandId: () => null,
    season: () => [],
    nextVotesOf: async () => [],
    findDeparted: async () => new Map(),
    displayName: (name) => listings.find((each) => each.name === name)?.displayName?.() ?? name,
    recordedVotes: async () => ({ month: 0, total: 0 }),
    drawVotePicture: async () => null,
    setup: null,
  };
  return context as CommandContext & { clock: ManualClock };
}

/** The input of a slash command with these options, run by a member in a guild. */
export function inputOf(options: Record<string, OptionValue> = {}, changes: Partial<CommandInput> = {}): CommandInput {
  return {
    options,
    action: null,
    values: [],
    fields: {},
    resolved: { users: {}, channels: {}, roles: {} },
    userId: memberId,
    displayName: 'Mira',
    guildId: '100000000000000001',
    channelId: '100000000000000002',
    roles: [],
    isManager: false,
    canAttachFiles: true,
    interactionId: '100000000000000003',
    applicationId: '100000000000000004',
    locale: 'en-US',
    guildLocale: 'en-US',
    ...changes,
  };
}
