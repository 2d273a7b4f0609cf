import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@tallyhook/platform/clock';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import { isOwnHost } from '@tallyhook/platform/web/host';
import express, { type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { type KeyState, saveSealed } from '../../core/store/settings/sealed.ts';
import { mayManageGuild } from '../../discord/inspection.ts';
import { joinHeader } from '../../webhook/signed-form.ts';
import { authenticate, rejectByHeaders } from '../../webhook/sites/authenticate.ts';
import { topgg, topggSignature } from '../../webhook/sites/index.ts';
import { isOldSignature, oldSignature, type ReadHeader } from '../../webhook/sites/scheme.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import {
  type LinkResult,
  listingAddress,
  newListingName,
  type Settings,
  type SettingsAuthor,
} from '../settings/feature.ts';
import { type Connection, type ConnectionStore, connectionContext } from './store.ts';

type TopggContext = ServicesContext & {
  readonly store: { readonly topggConnect: ConnectionStore; readonly settings: KeyState };
  readonly encryption: Encryption;
  readonly setup: Settings;
};

/** The address exists if `TOPGG_INTEGRATION_SECRET` is set, with `DISCORD_TOKEN`. */
export function createServices(
  context: TopggContext,
): FeatureServices & { readonly shared: { readonly topggConnect: TopggConnect } } {
  const { topggIntegrationSecret: secret, publicUrl, discord } = context.config;
  const topggConnect = createTopggConnect(context);
  const shared = { topggConnect };
  if (secret === null || discord.token === '') return { shared };
  if (publicUrl === null) {
    const hint = 'Set PUBLIC_URL to the address under which the internet reaches this program.';
    context.log.warn({ hint }, `without PUBLIC_URL, ${topggConnectPath} gives top.gg the host that it was called by`);
  }
  return { shared, routes: createTopggRoutes(topggConnect, { secret, publicUrl, clock: context.clock }) };
}

const site = 'topgg';

/** The message of top.gg when the owner of a project presses *Connect*. */
interface Handshake extends Pick<Connection, 'connectionId' | 'userId' | 'kind' | 'targetId'> {
  readonly secret: string;
}

type HeldConnection = Pick<Connection, 'listing' | 'kind' | 'targetId'>;

type TopggConnect = ReturnType<typeof createTopggConnect>;

/**
 * Links listings that top.gg connects. A listing that exists accepts the new secret beside its own. A server is linked at
 * once if the member may manage it in Discord; everything else is held to be confirmed in `/setup`, a server by any of its
 * managers, a bot by the member. Its address does not exist before, so its votes get 404.
 */
function createTopggConnect(context: TopggContext) {
  const { encryption, setup: settings, directory, rest, clock, stopwatch, log } = context;
  const store = context.store.topggConnect;

  async function hold(
    { secret, ...project }: Handshake,
    listing = newListingName(site),
  ): Promise<Connection & { sealed: string }> {
    const row = connectionContext(project.connectionId);
    return saveSealed(context, async (key) => {
      const held = { ...project, listing, guildId: null, sealed: seal(key, secret, row) };
      return (await store.hold(held, clock.now())) && held;
    });
  }

  /**
   * The listing of the project, if there is one and it may be connected: one of the operator, who states what it is, or
   * one in a server that the member may manage, because the member who linked it there may have stated anything.
   */
  async function findExisting({ kind, targetId, userId }: Handshake) {
    for (const listing of directory.listings) {
      const { guildId, linked } = listing;
      if (guildId === null || listing.site?.id !== site || listing.kind !== kind || listing.id !== targetId) continue;
      if (linked !== true || (await mayManage(guildId, userId))) return { ...listing, guildId };
    }
    return null;
  }

  /** @returns the name of the listing; null if it cannot take the secret */
  async function addTo(
    { name: listing, guildId, voteSecrets }: { name: string; guildId: string; voteSecrets: readonly string[] },
    handshake: Handshake,
  ): Promise<string | null> {
    const { connectionId, userId: authorId, secret } = handshake;
    const { sealed } = await hold(handshake, listing);
    // An earlier attempt may have ended here.
    if (!voteSecrets.includes(secret)) {
      const author = { guildId, authorId, interactionId: `topgg ${connectionId} ${clock.now()}` };
      const result = await settings.rotateSecret({ ...author, listing, family: 'vote', secret });
      if (result.status !== 'saved') return null;
    }
    await store.linked(connectionId, guildId, sealed);
    log.info({ guild: guildId, listing }, 'top.gg has connected a listing that exists');
    return listing;
  }

  async function link(connection: Connection, author: SettingsAuthor): Promise<LinkResult> {
    const { connectionId, listing, kind, targetId, sealed } = connection;
    if (sealed === null) throw new Error('A connection that is held has a secret.');
    const result = await settings.link({
      ...author,
      ...{ site, kind, targetId, name: listing, lookupKey: null },
      voteSecret: encryption.open(sealed, connectionContext(connectionId)),
    });
    if (result.status === 'linked') await store.linked(connectionId, author.guildId, null);
    return result;
  }

  /** Discord decides, and nobody else: without its word, the connection is held. */
  async function mayLinkIn(guildId: string, userId: string): Promise<boolean> {
    // Otherwise somebody could take over a listing of the operator.
    const mayLink = (directory.ofGuild(null)?.named ?? []).length === 0;
    return mayLink && mayManage(guildId, userId);
  }

  async function mayManage(guildId: string, userId: string): Promise<boolean> {
    try {
      return await mayManageGuild(rest, { guildId, userId, now: stopwatch.now() });
    } catch (error) {
      log.warn({ guild: guildId, reason: messageOf(error) }, 'Discord did not say who may manage a server; it is held');
      return false;
    }
  }

  async function isLinked({ guildId, listing }: Connection): Promise<boolean> {
    return guildId !== null && (await settings.read(guildId)).listings.some(({ name }) => name === listing);
  }

  return {
    /** Links or holds a project. Repeating it changes nothing. @returns the name of its listing */
    async connect(handshake: Handshake): Promise<string> {
      const { connectionId, userId, kind, targetId } = handshake;
      const stored = await store.find(connectionId);
      if (stored !== null && (await isLinked(stored))) return stored.listing;
      const existing = await findExisting(handshake);
      const extended = existing && (await addTo(existing, handshake));
      if (extended !== null) return extended;
      const held = stored !== null && stored.guildId === null ? stored : await hold(handshake);
      const { listing } = held;
      const author = { guildId: targetId, authorId: userId, interactionId: `topgg ${listing}` };
      const mayBeLinked = held.userId === userId && kind === 'server' && (await mayLinkIn(targetId, userId));
      const result = mayBeLinked ? await link(held, author) : null;
      if (result?.status === 'linked') log.info({ guild: targetId, listing }, 'top.gg has connected a server');
      else
        log.info(
          { listing, kind, target: targetId },
          'top.gg has connected a project; its owner confirms it in /setup',
        );
      return listing;
    },

    /** Unlinks the listing that a connection has made, or ends the secret that it has added, and forgets the connection. */
    async disconnect(connectionId: string): Promise<void> {
      const connection = await store.find(connectionId);
      if (connection === null) return;
      const { guildId, listing, sealed, userId: authorId } = connection;
      if (guildId !== null && (await isLinked(connection))) {
        const author = { guildId, authorId, listing };
        if (sealed === null) await settings.unlink({ ...author, interactionId: `topgg unlink ${listing}` });
        else {
          const secret = encryption.open(sealed, connectionContext(connectionId));
          await settings.dropSecret({
            ...author,
            secret,
            interactionId: `topgg unlink ${connectionId} ${clock.now()}`,
          });
        }
        log.info({ guild: guildId, listing }, 'top.gg has disconnected a listing');
      }
      await store.remove(connectionId);
    },

    /** The connections that a member who manages a guild may link there. A server is offered in its own guild alone. */
    heldFor: (guildId: string, userId: string): Promise<readonly HeldConnection[]> => store.heldFor(guildId, userId),

    /** Links what is held for the author, who manages the guild; null if nothing with this name is. */
    async confirm(listing: string, author: SettingsAuthor): Promise<LinkResult | null> {
      const held = await store.heldFor(author.guildId, author.authorId);
      const connection = held.find((each) => each.listing === listing);
      return connection === undefined ? null : link(connection, author);
    },
  };
}

/** Where top.gg says what its owners connect: the address to enter at the integration there. */
const topggConnectPath = '/connect/topgg';

const maxBodyBytes = 16 * 1024;

/** top.gg without the token of its older webhooks. */
const integration: Site = { ...topgg, schemes: [topggSignature] };

const discordId = z.string().regex(/^\d{17,20}$/);
const connectionId = z.string().regex(/^[\x21-\x7e]{1,100}$/);
const created = z.object({
  type: z.literal('integration.create'),
  data: z.object({
    connection_id: connectionId,
    webhook_secret: z.string().regex(/^[\x21-\x7e]{8,200}$/),
    project: z.object({ type: z.enum(['bot', 'server']), platform: z.literal('discord'), platform_id: discordId }),
    user: z.object({ platform_id: discordId }),
  }),
});
const deleted = z.object({
  type: z.literal('integration.delete'),
  data: z.object({ connection_id: connectionId }),
});
const handshake = z.discriminatedUnion('type', [created, deleted]);

/** `POST /connect/topgg`, signed by top.gg with the secret of the integration. */
function createTopggRoutes(
  connect: TopggConnect,
  { secret, publicUrl, clock }: { secret: string; publicUrl: string | null; clock: Clock },
): RequestHandler {
  const credentials = { secrets: [secret] };
  const router = Router();

  // Before the body is read.
  const requireHeader: RequestHandler = (request, response, next) => {
    const rejection = rejectByHeaders(integration, headerReader(request.headers), credentials, clock.now());
    if (rejection === null) next();
    else reject(response, 401, rejection.error);
  };
  const readBody = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false });

  router.post(topggConnectPath, requireHeader, readBody, async (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const now = clock.now();
    const sender = authenticate(integration, { readHeader: headerReader(request.headers), body }, credentials, now);
    if ('error' in sender) return reject(response, 401, mismatch);
    if (isOldSignature(sender.signedAt, now)) return reject(response, 401, `Not accepted: ${oldSignature}.`);
    const parsed = handshake.safeParse(parseJson(sender.content));
    if (!parsed.success)
      return reject(response, 400, 'This is no integration.create or integration.delete of Discord.');
    const { type, data } = parsed.data;
    if (type === 'integration.delete') {
      await connect.disconnect(data.connection_id);
      response.json({ success: true });
      return;
    }
    const listing = await connect.connect({
      connectionId: data.connection_id,
      secret: data.webhook_secret,
      kind: data.project.type,
      targetId: data.project.platform_id,
      userId: data.user.platform_id,
    });
    const origin = publicUrl ?? originOf(request.headers);
    response.json({ webhook_url: listingAddress(listing, origin), routes: [topgg.setup.event] });
  });
  return router;
}

/** By what the sender, whose signature is right, has called this program. */
function originOf({ host = '', 'x-forwarded-proto': proto }: IncomingHttpHeaders): string {
  const byHost = isOwnHost(host) ? 'http' : 'https';
  return `${proto === 'http' || proto === 'https' ? proto : byHost}://${host}`;
}

const mismatch = 'The signature does not match. Compare TOPGG_INTEGRATION_SECRET with the secret of the integration.';

function reject(response: Response, status: number, error: string): void {
  response.status(status).json({ success: false, error });
}

const headerReader =
  (headers: IncomingHttpHeaders): ReadHeader =>
  (name) =>
    joinHeader(headers[name]);
