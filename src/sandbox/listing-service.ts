import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Clock } from '@tallyhook/platform/clock';
import { localUrl } from '@tallyhook/platform/host-address';
import type { Log } from '@tallyhook/platform/log';
import {
  type DiscordApplication,
  discordCallbackPath,
  type Listing,
  type RunningService,
  seededBot,
  seededIcon,
  seededServer,
  startService,
} from 'listing-service';
import type { OAuthApplication } from 'local-discord';
import { sandboxOwner } from './community.ts';

/** Remembers a part that must be stopped. */
export type Track = <Part extends { stop(): Promise<void> }>(part: Part) => Part;

/** The two listings that members vote for. */
export interface SandboxListings {
  readonly server: Listing;
  readonly bot: Listing;
}

export type ListingService = Awaited<ReturnType<typeof startListingService>>;

/** The secrets with which the service signs its deliveries. */
export interface WebhookSecrets {
  readonly vote: string;
  readonly premium: string;
}

/**
 * Starts the listing service behind a relay, which can make it unreachable.
 *
 * @param options.port port of the relay; 0 selects a free one
 * @param options.track called with what must be stopped, as soon as it has started
 */
export async function startListingService(options: {
  host: string;
  port: number;
  /** Path of its SQLite file. */
  database: string;
  /** The application by which members sign in. */
  discord: DiscordApplication;
  clock: Clock;
  log: Log;
  /** True if to start with sample listings, votes and reviews. */
  seed: boolean;
  track: Track;
}) {
  const { host, port, database, track, ...serviceOptions } = options;
  const relay = track(await startRelay(host, port));
  const service = track(
    await startService({
      ...serviceOptions,
      host,
      port: 0,
      publicUrl: relay.url,
      database: `sqlite:${database}`,
      allowLoopbackTargets: true,
    }),
  );
  relay.setTarget(service.port);
  const { server, bot } = await ensureListings(service);
  const listings = { server: await giveToOwner(service, server), bot: await giveToOwner(service, bot) };
  return { service, relay, listings };
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

/** The icon of the seeded server as a `data:` URL, so that it is the same in Discord; undefined without seeding. */
export function pictureOfServer({ seeded }: Pick<RunningService, 'seeded'>): string | undefined {
  if (seeded === null) return undefined;
  const { type, bytes } = seededIcon('server');
  return `data:${type};base64,${bytes.toString('base64')}`;
}

const clientId = '1190000000000000003';

/** The application by which members sign in to the service, which starts before Discord. @param apiUrl of Discord */
export function createServiceApplication(apiUrl: () => string): DiscordApplication {
  return { clientId, clientSecret: randomBytes(24).toString('base64url'), apiUrl };
}

/** The application of {@link createServiceApplication}, as it is registered with Discord. */
export function registration({ clientSecret }: DiscordApplication, serviceUrl: string): OAuthApplication {
  return { id: clientId, name: 'Listing service', clientSecret, redirectUris: [serviceUrl + discordCallbackPath] };
}

/** A TCP proxy in front of the service that can simulate an unreachable host. @param port 0 selects a free one */
export async function startRelay(host: string, port: number) {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  let isDown = false;

  // A client may close its half of the connection after the request and wait for the response.
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    incoming.on('error', () => incoming.destroy());
    if (isDown || target === null) {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect({ port: target, host, allowHalfOpen: true });
    for (const [socket, peer] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        // Buffered data must still be sent.
        peer.destroySoon();
      });
      socket.pipe(peer);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');

  function resetConnections(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    /** The base URL of the service, without a trailing slash. */
    url: localUrl(host, (server.address() as AddressInfo).port),
    /** Forwards new connections to this port of the same host. */
    setTarget(targetPort: number) {
      target = targetPort;
    },
    /** While down, it resets every new and open connection. */
    setDown(down: boolean) {
      isDown = down;
      if (down) resetConnections();
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      resetConnections();
      await closed;
    },
  };
}
