import type { Clock } from '@tallyhook/platform/clock';
import { type ReadinessChecks, runReadinessChecks } from '@tallyhook/platform/http/readiness';
import type { Log } from '@tallyhook/platform/log';
import { isTrustedProxy } from '@tallyhook/platform/web/client-key';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import type { Config } from '../../config/schema.ts';
import type { Replay } from '../core/receiving/replay.ts';
import { createGuildReader } from '../discord/guild-reader.ts';
import type { DiscordRest } from '../discord/rest.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import type { Directory } from '../features/communities/directory.ts';
import { createReversals } from '../features/corrections/store.ts';
import type { ConsoleCard } from '../features/parts.ts';
import type { SetupServices } from '../features/settings/services.ts';
import type { Store } from '../features/store.ts';
import { maxRequestsPerMinute } from '../lookup/budget.ts';
import type { KeyStatus } from '../lookup/lookup.ts';
import type { AppTexts } from '../texts/texts.ts';
import { service } from '../webhook/sites/service.ts';
import { findSite } from '../webhook/sites/site-settings.ts';
import { createOwnerApi } from './api.ts';
import { Authentication } from './authentication.ts';
import { createCommunityScopes, createOwnerCommunities } from './communities.ts';
import { type ConsoleAccess, createConsole } from './console/console.ts';
import type { OwnerContext } from './context.ts';
import { createDiscordSignIn } from './discord-sign-in.ts';
import { createNames } from './names.ts';
import type { SignInLinks } from './sign-in-links.ts';

export interface OwnerAppDependencies {
  readonly rest: DiscordRest;
  readonly languages: AppTexts;
  /** The settings of communities, and what is checked before they are saved. */
  readonly setup: SetupServices;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: ReadinessChecks;
  readonly directory: Directory;
  readonly communityIds: Pick<CommunityIds, 'of' | 'guildOf'>;
  /** The status of a listing's key; undefined without a key. */
  readonly keyStatus: (listing: string) => Promise<KeyStatus | undefined>;
  readonly cards: readonly ConsoleCard[];
  readonly replay: Replay;
  /** Makes the worker check the queue for effects immediately. */
  readonly nudge: (queue: string) => void;
  readonly signInLinks?: SignInLinks | undefined;
}

/** The owner's API and console; null if nobody can sign in. */
export function createOwnerApp(
  {
    ownerToken,
    clientSecret,
    publicUrl,
    discord,
  }: Pick<Config, 'ownerToken' | 'clientSecret' | 'publicUrl' | 'discord'>,
  dependencies: OwnerAppDependencies,
): RequestHandler | null {
  const { rest } = dependencies;
  const hasBot = discord.token !== '';
  const signIn =
    clientSecret === null || publicUrl === null || !hasBot
      ? null
      : createDiscordSignIn({ clientSecret, publicUrl, apiUrl: discord.apiUrl, rest, clock: dependencies.clock });
  if (ownerToken === null && signIn === null) return null;
  const { store, clock, log, checks, directory, communityIds, keyStatus, cards, replay, nudge, signInLinks } =
    dependencies;
  const { records, outbox, recorder, sessions } = store;

  const communities = createOwnerCommunities({ store, directory, communityIds });
  const reader = hasBot ? createGuildReader({ rest, clock }) : null;
  const scopes = createCommunityScopes(directory);

  return createOwner(
    { token: ownerToken, discord: signIn },
    {
      scope: null,
      languages: dependencies.languages,
      guilds: { ...scopes, reader },
      setup: dependencies.setup,
      corrections: store.corrections,
      namesIn: createNames({
        records,
        communities,
        guildIds: scopes.ids,
        reader,
        clock,
        listingNames: dependencies.setup.checks.listingNames,
        listings: () => directory.listings.filter(({ implied }) => !implied).map(({ name }) => name),
      }),
      records,
      outbox,
      recorder,
      sessions,
      replay,
      nudge,
      signInLinks,
      clock,
      log,
      communities,
      nextVotes: store.nextVotes.ofMember,
      cooldowns: (communityId) => {
        const listings = directory.listings.filter(
          ({ community }) => communityId === null || community.id === communityId,
        );
        return new Map(listings.map(({ name, rewards }) => [name, rewards.base.cooldownMs]));
      },
      sites: () => new Map(directory.listings.map(({ name, site }) => [name, site ? findSite(site) : service])),
      timeZones: () => new Map(directory.listings.map(({ name, community }) => [name, community.timeZone])),
      alarms: {
        held: store.rateAlarms.held,
        decide: (listing, decision) => store.rateAlarms.decide(listing, decision, clock.now()),
      },
      reversals: createReversals({
        store,
        listingsOf: (listing) => directory.communityOf(listing)?.named ?? [],
        clock,
        log,
      }),
      announced: () => directory.listings.filter(({ implied }) => !implied),
      rewards: {
        rules: () => directory.listings.filter(({ implied }) => !implied),
        cards,
        waitingOrders: async (scope) => (await store.shop.summary(scope?.guildId ?? null)).waiting,
        votesPerDay(scope) {
          const community = scope === null ? directory.communities[0] : directory.ofGuild(scope.guildId);
          return store.votesPerDayIn(community?.timeZone ?? 'UTC')(scope?.listings ?? null, clock.now());
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

/** Who can sign in, each null if nobody can. */
export type OwnerAccess = Pick<ConsoleAccess, 'token' | 'discord'>;

/**
 * The owner's API under `/api` and the console, to be mounted at `/owner`.
 * @param access `token`: the `OWNER_TOKEN`, without which there is no API
 */
export function createOwner({ token, discord }: OwnerAccess, context: OwnerContext): Express {
  const authentication = new Authentication({ token, log: context.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // For the client's address, and for whether the browser uses HTTPS.
  app.set('trust proxy', isTrustedProxy);
  if (token !== null) app.use('/api', createOwnerApi(context, authentication));
  app.use(createConsole({ token, discord, authentication }, context));
  return app;
}
