import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { systemResolve } from '@tallyhook/platform/webhooks/target';
import express from 'express';
import { loadConfig } from '../../config/load.ts';
import type { Standings } from '../../src/core/ledger/standing.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import { CommunityIds } from '../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { createReversals } from '../../src/features/corrections/store.ts';
import { EndpointAccess } from '../../src/features/events/endpoints.ts';
import { WebhookSender } from '../../src/features/events/sender.ts';
import { reminderCard } from '../../src/features/reminders/parts.ts';
import { roleCard } from '../../src/features/roles/parts.ts';
import { shopCard } from '../../src/features/shop/parts.ts';
import { Tokens } from '../../src/features/tokens/tokens.ts';
import { readActivity } from '../../src/owner/activity.ts';
import { createCommunityScopes, createOwnerCommunities } from '../../src/owner/communities.ts';
import type { OwnerContext } from '../../src/owner/context.ts';
import { createOwner } from '../../src/owner/create-owner.ts';
import { EventStream } from '../../src/owner/event-stream.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { claimDue } from './claim-due.ts';
import { serverAndBot } from './listings.ts';
import { environmentWith, harbour } from './listings-file.ts';
import { serve, startReceiver } from './start-receiver.ts';

export const token = 'the-owner-token';
/** The time of the frozen clock. */
export const start = Date.UTC(2026, 0, 1);
export const votedAt = '2025-12-31T23:00:00.000Z';
export const vote = { event: 'server_vote', userId: '42', timestamp: votedAt };

export type OwnerServerOptions = Partial<OwnerContext> & {
  readonly standings?: Standings;
  readonly guildId?: string;
  readonly botSite?: string;
};

export interface RequestOptions {
  readonly method?: string;
  readonly authorization?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/**
 * The owner's API and console on a real HTTP server, over a store that a real receiver writes.
 * @param guildId of another community, with a listing `hosted` @param botSite of the listing `bot`
 */
export async function startOwnerServer({ standings, guildId, botSite, ...changes }: OwnerServerOptions = {}) {
  const clock = manualClock(start);
  const { store, post } = await startReceiver({ clock });
  const lines: string[] = [];
  const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const nudges: number[] = [];
  const { records, outbox, sessions, recorder } = store;
  const { listings: configured } = loadConfig(
    environmentWith([
      { ...harbour, name: 'server', announcements: { title: '<b>Yay</b>', text: '{mention} voted' } },
      botSite === undefined
        ? { ...harbour, name: 'bot', kind: 'bot', lookupKey: 'key-of-the-bot' }
        : { name: 'bot', kind: 'bot', id: '1000', site: botSite, voteSecrets: ['whs_secret-of-the-bot'] },
      ...(guildId === undefined ? [] : [{ ...harbour, name: 'hosted', lookupKey: 'key-of-hosted', guildId }]),
    ]),
  );
  // A server's guild is its own id.
  const listings = configured.map((each) => ({ ...each, guildId: each.name === 'hosted' ? each.guildId : null }));
  const communityIds = new CommunityIds(store.communityIds, await store.communityIds.add(guildId ? [guildId] : []));
  const directory = createDirectory(listings, communityIds.of);
  const context: OwnerContext = {
    ...{ records, outbox, recorder, sessions, clock, log },
    scope: null,
    languages: ownTexts,
    setup: null,
    corrections: store.corrections,
    namesIn: () => async () => ({ member: () => null, role: () => null, channel: () => null, listing: () => null }),
    guilds: { ...createCommunityScopes(directory), ids: () => [], reader: null },
    communities: createOwnerCommunities({
      store: standings === undefined ? store : { ...store, standingsIn: () => standings },
      directory,
      communityIds,
    }),
    rewards: {
      cards: [shopCard(store.shop), reminderCard(store.reminders, clock), roleCard(store.roles)],
      waitingOrders: async () => (await store.shop.summary()).waiting,
      activity: () =>
        readActivity(store, {
          ...{ names: null, listings: directory.listings, timeZone: 'UTC', communityId: null },
          now: clock.now(),
        }),
    },
    replay: createReplay({ listings: () => serverAndBot(), recorder, clock }),
    listings: () => directory.listings.map((each) => ({ ...each, timeZone: 'Europe/Berlin' })),
    alarms: {
      held: store.rateAlarms.held,
      decide: (listing, decision) => store.rateAlarms.decide(listing, decision, clock.now()),
    },
    purchases: {
      list: store.shop.purchasesIn,
      find: store.shop.purchaseIn,
      settle: (settlement) => store.shop.settle(settlement, clock.now()),
    },
    tokens: new Tokens({ store: store.tokens, clock, log }),
    reversals: createReversals({ store, listingsOf: () => serverAndBot(), clock, log }),
    endpoints: new EndpointAccess({
      ...{ store, directory, clock, stopwatch: systemClock, nudge: () => {} },
      webhookSender: new WebhookSender({
        ...{ store, directory, clock, metrics: createMetrics() },
        targets: { allowLoopback: true, resolve: systemResolve },
      }),
    }),
    stream: new EventStream({ events: store.events, keep: async () => {}, settleMs: 0, listen: () => () => {}, clock }),
    health: async () => ({ store: { ready: true }, discord: { ready: false, reason: 'not connected to the gateway' } }),
    budgets: async () => [{ listing: 'server', left: 118, limit: 120, keyRefused: false, wrongShape: false }],
    nudge: () => void nudges.push(clock.now()),
    ...changes,
  };
  /** The URL of another process with the same database, or of the same process after a restart. */
  const restart = () => serve(express().use('/owner', createOwner({ token, discord: null }, context)));
  const url = await restart();

  /** Sends a request to the API. */
  async function request(path: string, options: RequestOptions = {}) {
    const { method = 'GET', authorization = `Bearer ${token}`, headers = {}, body } = options;
    const response = await fetch(`${url}/owner/api${path}`, {
      method,
      headers: { ...(authorization && { authorization }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      json: (await response.json()) as Record<string, unknown>,
    };
  }

  /** Buries all waiting effects, as the worker would. */
  async function buryAll(reason: string) {
    const now = clock.now();
    await store.outbox.bury(await claimDue(store.outbox, now, now + hour, 10), now, reason);
  }

  return { url, restart, store, clock, post, request, buryAll, nudges, lines };
}
