import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { callbackPath, type DiscordApplication } from '../service/discord-sign-in/discord-accounts.ts';
import type { Listing } from '../service/listing/listing.ts';
import { seededBot, seededServer } from '../service/seed/listings.ts';
import { type RunningService, startService } from '../service/service.ts';
import type { LocalDiscord } from './discord/local-discord.ts';
import type { OAuthApplication } from './discord/oauth.ts';
import { type Relay, startRelay } from './relay.ts';
import { sandboxOwner } from './sandbox-members.ts';

/** The two listings that members vote for. */
export interface SandboxListings {
  readonly server: Listing;
  readonly bot: Listing;
}

/** The listing service behind a relay, which can make it unreachable. */
export interface ListingService {
  readonly service: RunningService;
  readonly relay: Relay;
  readonly listings: SandboxListings;
  stop(): Promise<void>;
}

/** The secrets with which the service signs its deliveries. */
export interface WebhookSecrets {
  readonly vote: string;
  readonly premium: string;
}

/** @param options.port port of the relay; 0 selects a free one */
export async function startListingService(options: {
  host: string;
  port: number;
  /** Path of its SQLite file. */
  database: string;
  /** The application by which members sign in. */
  discord: DiscordApplication;
  clock: Clock;
  log: Log;
  /** Whether to start with sample listings, votes and reviews. */
  seed: boolean;
}): Promise<ListingService> {
  const { host, port, database, discord, clock, log, seed } = options;
  const relay = await startRelay(host, port);
  try {
    const service = await startService({
      host,
      port: 0,
      publicUrl: relay.url,
      database: `sqlite:${database}`,
      discord,
      clock,
      log,
      allowLoopbackTargets: true,
      seed,
    });
    relay.setTarget(service.port);
    const stop = async () => {
      await service.stop();
      await relay.stop();
    };
    try {
      const { server, bot } = await ensureListings(service);
      const listings = { server: await giveToOwner(service, server), bot: await giveToOwner(service, bot) };
      return { service, relay, listings, stop };
    } catch (error) {
      await service.stop();
      throw error;
    }
  } catch (error) {
    await relay.stop();
    throw error;
  }
}

/** Points the webhooks of both listings at the bot. */
export async function registerWebhooks(
  { service, listings }: ListingService,
  botUrl: string,
  secrets: WebhookSecrets,
): Promise<void> {
  for (const { id } of [listings.server, listings.bot]) {
    await service.setWebhook(id, {
      voteUrl: `${botUrl}/webhooks/vote`,
      voteSecret: secrets.vote,
      premiumUrl: `${botUrl}/webhooks/premium`,
      premiumSecret: secrets.premium,
    });
  }
}

/** Makes the owner of the guild the owner of a listing, also of one from an earlier version of the sandbox. */
async function giveToOwner(service: RunningService, listing: Listing): Promise<Listing> {
  await service.setOwner(listing.id, sandboxOwner);
  return { ...listing, ownerId: sandboxOwner.userId };
}

/** The seeded listings; without seeding, the same two listings with no votes or reviews. */
async function ensureListings(service: RunningService): Promise<SandboxListings> {
  if (service.seeded !== null) return service.seeded;
  const existing = await service.listings();
  async function ensureListing({ id, ...fields }: typeof seededServer | typeof seededBot): Promise<Listing> {
    const listing = existing.find((each) => each.id === id);
    return listing ?? (await service.createListing({ ...fields, discordId: id })).listing;
  }
  return { server: await ensureListing(seededServer), bot: await ensureListing(seededBot) };
}

/** The application by which members sign in to the service with the local Discord. */
interface ServiceApplication {
  /** For the service, which starts before Discord. */
  readonly forService: DiscordApplication;
  /** For Discord. */
  registration(serviceUrl: string): OAuthApplication;
  /** Discord has started. */
  connect(discord: LocalDiscord): void;
}

const clientId = '1190000000000000003';

export function createServiceApplication(): ServiceApplication {
  const clientSecret = randomBytes(24).toString('base64url');
  let apiUrl = '';
  return {
    forService: { clientId, clientSecret, apiUrl: () => apiUrl },
    registration: (serviceUrl) => ({
      id: clientId,
      name: 'Listing service',
      clientSecret,
      redirectUris: [serviceUrl + callbackPath],
    }),
    connect(discord) {
      apiUrl = discord.apiUrl;
    },
  };
}
