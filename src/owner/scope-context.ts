import { HttpError } from '@tallyhook/platform/web/http-error';
import { partsOf } from '../core/ledger/account.ts';
import type { DeliveryRecord, Records } from '../core/records/records.ts';
import { withoutGuild } from '../features/communities/directory.ts';
import type { CommunityScope, OwnerCommunity } from './communities.ts';
import type { OwnerContext } from './context.ts';

/** The part of the context that is of the community of a guild; of the only one if `guildId` is null. @throws HttpError */
export function contextOf(context: OwnerContext, guildId: string | null): OwnerContext {
  if (context.scope !== null) return context;
  const { guildId: guild } = context.communities.at(guildId);
  const scope = context.guilds.scopeOf(guild ?? withoutGuild);
  return scope === null ? context : scopeContext(context, scope);
}

/** The part of the context that is one community's. Each property is stated, so that a new one has to be decided. */
export function scopeContext(context: OwnerContext, scope: CommunityScope): OwnerContext {
  const { guildId, communityId } = scope;
  const records = scopeRecords(context.records, scope);
  const isListed = (name: string | null) => name !== null && scope.listings.includes(name);

  function own(): OwnerCommunity {
    const community = context.communities.at(guildId);
    const { standings } = community;
    return {
      ...community,
      standings: {
        async standing(userId, now) {
          // Those of the member are of all guilds.
          const [standing, grants] = await Promise.all([standings.standing(userId, now), records.grants(userId)]);
          return { ...standing, grants: standing.grants.filter(({ role }) => grants.some((own) => own.role === role)) };
        },
        summary: (userId, now) => standings.summary(userId, now),
        lastVotes: (userId) => standings.lastVotes(userId),
        leaderboard: (query, now) => standings.leaderboard(query, now),
      },
    };
  }

  return {
    scope,
    languages: context.languages,
    records,
    outbox: {
      requeue: async (id, now) => ((await records.effect(id)) === null ? 'unknown' : context.outbox.requeue(id, now)),
    },
    recorder: {
      async correct(correction, idempotencyKey) {
        if (correction.communityId !== communityId) throw otherCommunity();
        return context.recorder.correct(correction, idempotencyKey);
      },
    },
    sessions: context.sessions,
    stream: context.stream,
    communities: {
      all: () => [own()],
      at(id) {
        if (id !== null && id !== (guildId ?? withoutGuild)) throw otherCommunity();
        return own();
      },
      of: async () => [own()],
    },
    rewards: {
      cards: context.rewards.cards.filter(({ isScoped }) => isScoped),
      activity: () => context.rewards.activity(scope),
      waitingOrders: () => context.rewards.waitingOrders(scope),
    },
    listings: () => context.listings().filter(({ name }) => isListed(name)),
    async replay(delivery) {
      if (!isListed(delivery.listing) || !isOfCommunity(delivery, scope)) throw otherCommunity();
      return context.replay(delivery);
    },
    alarms: {
      held: async () => (await context.alarms.held()).filter(({ listing }) => isListed(listing)),
      async decide(listing, decision) {
        if (!isListed(listing)) throw otherCommunity();
        return context.alarms.decide(listing, decision);
      },
    },
    reversals: {
      async preview(range) {
        if (!isListed(range.listing)) throw otherCommunity();
        return context.reversals.preview(range);
      },
      async reverse(range) {
        if (!isListed(range.listing)) throw otherCommunity();
        return context.reversals.reverse(range);
      },
    },
    signInLinks: undefined,
    ...(context.nextVotes && {
      nextVotes: async (userId: string) =>
        ((await context.nextVotes?.(userId)) ?? []).filter(({ listing }) => isListed(listing)),
    }),
    // The reasons are the operator's.
    health: async () =>
      Object.fromEntries(Object.entries(await context.health()).map(([name, { ready }]) => [name, { ready }])),
    budgets: async () => (await context.budgets()).filter(({ listing }) => isListed(listing)),
    nudge: context.nudge,
    namesIn: () => context.namesIn(scope),
    guilds: context.guilds,
    corrections: { authored: (query) => context.corrections.authored({ ...query, communityId }) },
    // Every page and route passes the guild or the community of the scope.
    setup: context.setup,
    endpoints: context.endpoints,
    purchases: context.purchases,
    tokens: context.tokens,
    clock: context.clock,
    log: context.log,
  };
}

function scopeRecords(records: Records, scope: CommunityScope): Records {
  const { guildId, communityId, listings } = scope;
  const isListed = (name: string | null) => name !== null && listings.includes(name);

  const scoped: Records = {
    async deliveries({ listing = null, listings: some = null, ...query }) {
      const names = listings.filter((name) => (listing ?? name) === name && (some === null || some.includes(name)));
      return names.length === 0 ? [] : records.deliveries({ ...query, listings: names });
    },
    async delivery(id) {
      const delivery = await records.delivery(id);
      return delivery !== null && isListed(delivery.listing) && isOfCommunity(delivery, scope) ? delivery : null;
    },
    effects: (query) => records.effects({ ...query, only: scope }),
    effect: (id) => records.effect(id, scope),
    effectsOf: async (deliveryId) => ((await visible(deliveryId)) === null ? [] : records.effectsOf(deliveryId)),
    async entries(accountId, limit, before) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.entries(accountId, limit, before);
    },
    async marks(accountId) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.marks(accountId);
    },
    async recentBody(accountId) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.recentBody(accountId);
    },
    entryOf: async (delivery) => ((await visible(delivery.id)) === null ? null : records.entryOf(delivery)),
    grants: async (userId) => (await records.grants(userId)).filter((grant) => grant.guildId === guildId),
    counts: async () => (await records.countsIn(scope)).counts,
    countsIn: () => Promise.reject(otherCommunity()),
    problems: () => records.problems(scope),
  };
  return scoped;

  async function visible(id: number | null): Promise<number | null> {
    return id === null || (await scoped.delivery(id)) === null ? null : id;
  }
}

/** A name may have been that of another one's listing when a secret of that one authenticated the delivery. */
function isOfCommunity({ origin }: Pick<DeliveryRecord, 'origin'>, { communityId }: CommunityScope): boolean {
  return origin === null || origin.every((identity) => identity.communityId === communityId);
}

function otherCommunity(): HttpError {
  return new HttpError(404, 'This server has nothing like it.');
}
