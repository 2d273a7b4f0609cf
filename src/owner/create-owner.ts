import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { type ReadinessChecks, runReadinessChecks } from '@tallyhook/platform/http/readiness';
import { isTrustedProxy } from '@tallyhook/platform/web/client-key';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import type { Config } from '../../config/schema.ts';
import type { CountedRows, Records } from '../core/records/records.ts';
import { createGuildReader } from '../discord/guild-reader.ts';
import { createPictures } from '../discord/pictures.ts';
import type { DiscordRest } from '../discord/rest.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import type { Directory } from '../features/communities/directory.ts';
import { createReversals } from '../features/corrections/store.ts';
import type { ConsoleCard } from '../features/parts.ts';
import type { SetupServices } from '../features/settings/services.ts';
import type { Store } from '../features/store.ts';
import { maxRequestsPerMinute } from '../lookup/budget.ts';
import type { KeyStatus } from '../lookup/lookup.ts';
import { readActivity } from './activity.ts';
import { createOwnerApi } from './api.ts';
import { Authentication, createDiscordSignIn } from './authentication.ts';
import { createCommunityScopes, createOwnerCommunities } from './communities.ts';
import { type ConsoleAccess, createConsole } from './console/console.ts';
import type { OwnerContext } from './context.ts';
import { createNames } from './names.ts';

interface OwnerAppDependencies
  extends Pick<OwnerContext, 'languages' | 'replay' | 'nudge' | 'signInLinks' | 'stream' | 'clock' | 'log'> {
  readonly rest: DiscordRest;
  readonly setup: SetupServices;
  readonly store: Store;
  readonly checks: ReadinessChecks;
  readonly directory: Directory;
  readonly communityIds: Pick<CommunityIds, 'of' | 'guildOf'>;
  readonly keyStatus: (listing: string) => Promise<KeyStatus | undefined>;
  readonly cards: readonly ConsoleCard[];
}

/** The owner's API, and the console if somebody can sign in. */
export function createOwnerApp(
  { ownerToken, clientSecret, publicUrl, discord }: Config,
  dependencies: OwnerAppDependencies,
): RequestHandler {
  const { rest, setup, store, checks, directory, keyStatus, cards, clock, log } = dependencies;
  const { corrections, records, outbox, recorder, sessions } = store;
  const hasBot = discord.token !== '';
  const signIn =
    clientSecret === null || publicUrl === null || !hasBot
      ? null
      : createDiscordSignIn({ clientSecret, publicUrl, apiUrl: discord.apiUrl, rest, clock });
  const communities = createOwnerCommunities(dependencies);
  const reader = hasBot ? createGuildReader({ rest, clock }) : null;
  const pictures = reader && createPictures({ reader, apiUrl: discord.apiUrl, clock, log });
  const scopes = createCommunityScopes(directory);
  return createOwner(
    { token: ownerToken, discord: signIn },
    {
      ...dependencies,
      ...{ corrections, outbox, recorder, sessions },
      records: { ...records, countsIn: countOnce(records) },
      scope: null,
      guilds: { ...scopes, reader, pictures },
      namesIn: createNames({
        records,
        communities,
        guildIds: scopes.ids,
        reader,
        clock,
        listingNames: setup.checks.listingNames,
        listings: () => directory.listings.filter(({ implied }) => !implied).map(({ name }) => name),
      }),
      communities,
      nextVotes: store.nextVotes.ofMember,
      listings: () => directory.listings,
      alarms: {
        held: store.rateAlarms.held,
        decide: (listing, decision) => store.rateAlarms.decide(listing, decision, clock.now()),
      },
      purchases: {
        list: store.shop.purchasesIn,
        find: store.shop.purchaseIn,
        settle: (settlement) => store.shop.settle(settlement, clock.now()),
      },
      tokens: setup.tokens,
      endpoints: setup.endpoints,
      reversals: createReversals({
        store,
        listingsOf: (listing) => directory.communityOf(listing)?.named ?? [],
        clock,
        log,
      }),
      rewards: {
        cards,
        waitingOrders: async (scope) => (await store.shop.summary(scope?.guildId ?? null)).waiting,
        activity(scope) {
          const [first, ...others] = directory.communities;
          const community = scope === null ? first : directory.ofGuild(scope.guildId);
          return readActivity(store, {
            names: scope?.listings ?? null,
            listings: directory.listings,
            timeZone: community?.timeZone ?? 'UTC',
            communityId: scope?.communityId ?? (others.length > 0 ? null : (first?.id ?? null)),
            now: clock.now(),
          });
        },
      },
      health: () => runReadinessChecks(checks),
      async budgets() {
        const statuses = await Promise.all(
          directory.listings.map(async ({ name: listing }) => {
            const status = await keyStatus(listing);
            if (status === undefined) return [];
            const { keyRefused, wrongShape, budgetLeft: left, budgetLimit: limit = maxRequestsPerMinute } = status;
            return [{ listing, left, limit, keyRefused, wrongShape }];
          }),
        );
        return statuses.flat();
      },
    },
  );
}

/** Communities whose deliveries are counted only once. */
const maxCounted = 10_000;

function countOnce(records: Pick<Records, 'countsIn'>): Records['countsIn'] {
  const known = new BoundedMap<CountedRows>(maxCounted);
  return async (scope) => {
    const key = `${scope.communityId} ${scope.listings.join(' ')}`;
    const result = await records.countsIn(scope, known.get(key));
    known.set(key, result.counted);
    return result;
  };
}

/** Who can sign in, each null if nobody can. */
export type OwnerAccess = Pick<ConsoleAccess, 'token' | 'discord'>;

/** The owner's API under `/api` and, if somebody can sign in, the console, to be mounted at `/owner`. */
export function createOwner({ token, discord }: OwnerAccess, context: OwnerContext): Express {
  const authentication = new Authentication({ token, log: context.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // For the client's address, and for whether the browser uses HTTPS.
  app.set('trust proxy', isTrustedProxy);
  app.use('/api', createOwnerApi(context, { authentication, hasOperator: token !== null }));
  if (token !== null || discord !== null) app.use(createConsole({ token, discord, authentication }, context));
  return app;
}
