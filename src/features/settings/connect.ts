import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { codeIn, createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { minute, second } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { html } from '@tallyhook/platform/web/html';
import { type PlainPage, plainPages, sendPlainPage } from '@tallyhook/platform/web/plain-page';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import type { GuildReader } from '../../discord/guild-reader.ts';
import type { Pictures } from '../../discord/pictures.ts';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import { type CommunitySettings, webhookAddresses } from './community.ts';
import { newListingName, type Settings } from './settings.ts';

/** Where the browser comes from Discord, and below it from the service. */
const connectPath = '/connect';

const offerTimeoutMs = second;
/** After this, every process knows the new secrets (ms). */
const settingsDelayMs = 6 * second;
/** Discord's limit for the address of a button. */
const maxUrlLength = 512;

/** Why a listing is not connected: the status of the page, and its text. */
const failures = {
  expired: [400, 'webPage.expired'],
  cancelled: [400, 'webPage.cancelled'],
  managersOnly: [403, 'failure.managersOnly'],
  already: [409, 'setup.connect.already'],
  unavailable: [503, 'setup.connect.unavailable'],
  tooMany: [429, 'webPage.tooMany'],
} as const;
type Failure = keyof typeof failures;

interface ConnectContext {
  readonly serviceUrl: string;
  readonly publicUrl: string;
  readonly settings: Pick<Settings, 'read' | 'link'>;
  readonly encryption: Encryption;
  readonly keyId: () => Promise<string | null>;
  /** Random, and the same in every process: those who know it can forge the cookie of an attempt. */
  readonly cookieSecret: string;
  /** True if Discord says that the member may manage the guild. */
  readonly isManager: (guildId: string, userId: string) => Promise<boolean>;
  readonly botName: () => Promise<string>;
  readonly reader: Pick<GuildReader, 'guild'>;
  readonly pictures: Pick<Pictures, 'ofGuild'>;
  /** True if nobody could take over a listing of the operator. */
  readonly mayLink: () => boolean;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly stopwatch: Clock;
  readonly log: Log;
}

/** Connects the bot to the listing of a guild, after its owner has agreed on the service's page. */
export function createConnect(context: ConnectContext) {
  const { settings, publicUrl, isManager, botName, mayLink, stopwatch, log } = context;
  const client = createConnectClient(context);
  const tickets = createConnectTickets(context);
  const redirectUri = `${publicUrl}${connectPath}/callback`;

  const connect = {
    /** Null if the service offers nothing, or not in time, or the guild has its listing. Never rejects. */
    async offer(
      community: CommunitySettings,
      userId: string,
    ): Promise<{ readonly url: string; readonly listing: string } | null> {
      if (!mayLink() || !community.canStoreSecrets || hasServer(community)) return null;
      const endpoints = client.endpoints().catch(() => null);
      if (!(await settleWithin(offerTimeoutMs, stopwatch, endpoints))) return null;
      const { ticket, listing } = await tickets.issue(community.guildId, userId);
      const url = `${publicUrl}${connectPath}/${ticket}`;
      return url.length > maxUrlLength ? null : { url, listing };
    },

    /** Checked at the beginning and at the end. Rejects with the errors of Discord and of the store. */
    async obstacle({ guildId, userId }: ConnectTicket): Promise<Failure | null> {
      if (!(await isManager(guildId, userId))) return 'managersOnly';
      const community = await settings.read(guildId);
      if (hasServer(community)) return 'already';
      return mayLink() && community.canStoreSecrets ? null : 'unavailable';
    },

    /** Asks the service for its page. @param attempt of the browser. Rejects with {@link ConnectError} */
    async start(
      ticket: ConnectTicket,
      attempt: { readonly state: string; readonly verifier: string },
    ): Promise<string> {
      const { vote, premium } = webhookAddresses({ name: ticket.listing }, publicUrl);
      if (premium === null) throw new Error('A listing of the service has an address for premium events.');
      return client.request({
        name: (await botName()).slice(0, 50),
        guild: ticket.guildId,
        member: ticket.userId,
        redirect_uri: redirectUri,
        state: attempt.state,
        code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
        webhooks: { vote, premium },
      });
    },

    /** Exchanges the code and links the listing. Returns whether the test has arrived. @throws ConnectError */
    async finish({ guildId, userId, listing }: ConnectTicket, verifier: string, code: string): Promise<boolean> {
      const granted = await client.exchange({ code, code_verifier: verifier, redirect_uri: redirectUri });
      if (granted.guild !== guildId || granted.listing.id !== guildId || granted.member !== userId) {
        throw new ConnectError('the service has connected another listing or member');
      }
      const { key, webhooks } = granted;
      const linked = await settings.link({
        guildId,
        authorId: userId,
        interactionId: `connect ${randomUUID()}`,
        kind: 'server',
        targetId: guildId,
        name: listing,
        lookupKey: key,
        voteSecret: webhooks.vote.secret,
        premiumSecret: webhooks.premium.secret,
      });
      if (linked.status === 'invalid') {
        throw new ConnectError(
          `the listing cannot be linked: ${linked.issues.map(({ code: issue }) => issue).join(', ')}`,
        );
      }
      log.info({ guild: guildId, listing }, 'a listing was connected');
      if (await isDelivered(key)) return true;
      await stopwatch.sleep(settingsDelayMs, new AbortController().signal);
      return isDelivered(key);
    },
  };
  return { offer: connect.offer, tickets, routes: createConnectRoutes(connect, tickets, context) };

  async function isDelivered(key: string): Promise<boolean> {
    try {
      return await client.test(key);
    } catch (error) {
      if (error instanceof ConnectError) return false;
      throw error;
    }
  }
}

/** True if the guild has linked a server on the service, perhaps itself. */
function hasServer({ guildId, listings }: CommunitySettings): boolean {
  return listings.some(
    ({ kind, site, targetId }) => kind === 'server' && site === null && (targetId === null || targetId === guildId),
  );
}

/** The protocol of docs/connect.md, from the bot's side. */

const timeoutMs = 20 * second;
const discoveryTimeoutMs = 5 * second;
/** How long the service's word is believed, and how soon it is asked again without one (ms). */
const discoveryKeptMs = 10 * minute;
const discoveryRetryMs = 1 * minute;
const maxResponseLength = 64 * 1024;

const endpoint = z.url({ protocol: /^https?$/ });
const discovery = z.object({
  version: z.literal(1),
  request_endpoint: endpoint,
  token_endpoint: endpoint,
  test_endpoint: endpoint,
});
type ConnectEndpoints = z.infer<typeof discovery>;

const pushed = z.object({ consent_url: endpoint });
const secret = z.string().regex(/^[\x21-\x7e]{16,200}$/);
const granted = z.object({
  guild: z.string(),
  member: z.string(),
  listing: z.object({ kind: z.literal('server'), id: z.string() }),
  key: z.string().regex(/^[\x21-\x7e]{1,300}$/),
  webhooks: z.object({ vote: z.object({ url: z.string(), secret }), premium: z.object({ url: z.string(), secret }) }),
});
const tested = z.object({ delivered: z.boolean() });

/** The service did not do its part. The message has neither code nor key. */
class ConnectError extends Error {}

function createConnectClient({ serviceUrl, stopwatch, log }: ConnectContext) {
  const service = new URL(serviceUrl);
  let known: { readonly until: number; readonly found: Promise<ConnectEndpoints | null> } | null = null;

  async function discover(): Promise<ConnectEndpoints | null> {
    const url = new URL('/.well-known/vote-connect', service);
    const signal = AbortSignal.timeout(discoveryTimeoutMs);
    const response = await fetch(url, { redirect: 'error', signal }).catch(() => null);
    if (response?.ok !== true) return null;
    const offered = discovery.safeParse(await readJson(response).catch(() => null));
    if (!offered.success) return null;
    // Keys and secrets go where the operator's own address leads, and never over a weaker connection.
    const isSafe = Object.values(offered.data).every(
      (value) => typeof value !== 'string' || service.protocol !== 'https:' || value.startsWith('https:'),
    );
    return isSafe ? offered.data : null;
  }

  /** Endpoints that the service offers; null if it does not know the protocol, or does not respond. */
  async function endpoints(): Promise<ConnectEndpoints | null> {
    if (known !== null && known.until > stopwatch.monotonic()) return known.found;
    const found = discover();
    known = { until: stopwatch.monotonic() + discoveryRetryMs, found };
    const value = await found;
    if (value !== null) known = { until: stopwatch.monotonic() + discoveryKeptMs, found };
    return value;
  }

  async function send<Schema extends z.ZodType>(
    name: keyof Omit<ConnectEndpoints, 'version'>,
    schema: Schema,
    { body, key }: { readonly body?: object; readonly key?: string },
  ): Promise<z.infer<Schema>> {
    const offered = await endpoints();
    if (offered === null) throw new ConnectError('the service does not offer to connect bots');
    try {
      const response = await fetch(offered[name], {
        method: 'POST',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const content = schema.safeParse(response.ok ? await readJson(response) : null);
      if (content.success) return content.data;
      throw new ConnectError(`${name}: the service responded with status ${response.status}`);
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      log.debug({ reason: messageOf(error) }, 'a request to connect the bot failed');
      throw new ConnectError(`${name}: the service did not respond`);
    }
  }

  return {
    endpoints,
    /** Announces a request. Returns the service's page on which the owner decides. @throws ConnectError */
    async request(request: object): Promise<string> {
      const { consent_url: url } = await send('request_endpoint', pushed, { body: request });
      const offered = await endpoints();
      if (offered !== null && new URL(url).origin === new URL(offered.request_endpoint).origin) return url;
      throw new ConnectError('the page of the request is not one of the service');
    },
    /** Exchanges a code for an API key and secrets; rejects with {@link ConnectError}. */
    exchange: (body: { readonly code: string; readonly code_verifier: string; readonly redirect_uri: string }) =>
      send('token_endpoint', granted, { body }),
    /** Has the service send its test. Returns whether it was delivered; rejects with {@link ConnectError}. */
    test: async (key: string): Promise<boolean> => (await send('test_endpoint', tested, { key })).delivered,
  };
}

async function readJson(response: globalThis.Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxResponseLength) throw new ConnectError('the response is too long');
  }
  return JSON.parse(text + decoder.decode());
}

const lifetimeMs = 10 * minute;

const ticket = z.object({
  guildId: z.string(),
  userId: z.string(),
  listing: z.string(),
  expiresAt: z.number(),
});
type ConnectTicket = z.infer<typeof ticket>;

/** Tickets are encrypted, so they need no storage. */
function createConnectTickets({
  encryption,
  keyId,
  clock: { now },
}: Pick<ConnectContext, 'encryption' | 'keyId' | 'clock'>) {
  const context = ['connect', 'ticket'];
  return {
    /** A ticket for a member, with the name of the listing to be. */
    async issue(guildId: string, userId: string): Promise<{ readonly ticket: string; readonly listing: string }> {
      const listing = newListingName('server');
      const content: ConnectTicket = { guildId, userId, listing, expiresAt: now() + lifetimeMs };
      return { ticket: seal(encryption.keyFor(await keyId()), JSON.stringify(content), context), listing };
    },
    /** Null for what is forged or has expired. */
    open(text: string): ConnectTicket | null {
      try {
        const { success, data } = ticket.safeParse(parseJson(encryption.open(text, context)));
        return success && data.expiresAt > now() && data.expiresAt <= now() + lifetimeMs ? data : null;
      } catch {
        return null;
      }
    },
  };
}

/** How long the page waits for the name and the picture of the server (ms). */
const serverTimeoutMs = 3 * second;

/** The cookie binds the way back to the browser that went. Keys, secrets and codes are in no page, log or cookie. */
function createConnectRoutes(
  connect: {
    obstacle(ticket: ConnectTicket): Promise<Failure | null>;
    start(ticket: ConnectTicket, attempt: { readonly state: string; readonly verifier: string }): Promise<string>;
    finish(ticket: ConnectTicket, verifier: string, code: string): Promise<boolean>;
  },
  tickets: ReturnType<typeof createConnectTickets>,
  { languages, publicUrl, cookieSecret, reader, pictures, clock, stopwatch, log }: ConnectContext,
): Express {
  const { pathname: path, protocol } = new URL(`${publicUrl}${connectPath}`);
  const attempts = createAuthorizationAttempts({
    ...{ secret: cookieSecret, purpose: 'connect', cookieName: 'tallyhook_connect', path, clock },
    secure: protocol === 'https:',
  });
  const textsFor = (request: Request) => languages.for(...request.acceptsLanguages().slice(0, 10));

  /** Name and picture of the server; null if Discord does not say them in time. */
  async function serverOf(id: string): Promise<NonNullable<PlainPage['server']> | null> {
    const found = Promise.all([reader.guild(id), pictures.ofGuild(id)]).catch(() => null);
    const [guild, picture] = (await settleWithin(serverTimeoutMs, stopwatch, found)) ?? [null, null];
    if (guild === null) return null;
    const url = picture === null ? null : `data:${picture.type};base64,${picture.bytes.toString('base64')}`;
    return { id, name: guild.name, picture: url };
  }

  /** @param guildId the server to go back to; null if it is not known */
  function fail(request: Request, response: Response, failure: Failure, guildId: string | null = null): void {
    const texts = textsFor(request);
    const [status, reason] = failures[failure];
    sendPlainPage(response, {
      ...{ status, locale: texts.locale },
      title: texts.text('setup.connect.titleFailed'),
      body: html`<p>${texts.text(reason)}</p>`,
      next: backToDiscord(guildId, texts),
    });
  }

  function failUnexpectedly(request: Request, response: Response, error: unknown, guildId: string): void {
    log.warn({ reason: messageOf(error) }, 'a listing could not be connected');
    fail(request, response, 'unavailable', guildId);
  }

  const app = plainPages(connectPath, (request, response) => fail(request, response, 'tooMany'));

  app.get(connectPath, (request, response) => fail(request, response, 'expired'));

  app.get(`${connectPath}/callback`, async (request, response) => {
    const attempt = attempts.finish(request, response);
    const ticket = attempt && tickets.open(Buffer.from(attempt.data, 'base64url').toString());
    if (attempt === null || ticket === null) return fail(request, response, 'expired');
    const code = codeIn(request.query);
    const { guildId } = ticket;
    if (request.query['error'] !== undefined) return fail(request, response, 'cancelled', guildId);
    if (code === null) return fail(request, response, 'expired', guildId);
    try {
      const obstacle = await connect.obstacle(ticket);
      if (obstacle !== null) return fail(request, response, obstacle, guildId);
      const hasArrived = await connect.finish(ticket, attempt.verifier, code);
      const texts = textsFor(request);
      const { text } = texts;
      const steps = html`<ol><li>${text('setup.steps.channelTitle')}</li><li>${text('setup.steps.rewardsTitle')}</li></ol>`;
      const body = html`<p>${hasArrived ? text('setup.connect.done') : text('setup.connect.untested')}</p>${hasArrived && steps}`;
      sendPlainPage(response, {
        status: 200,
        locale: texts.locale,
        title: text('setup.connect.title'),
        server: await serverOf(guildId),
        body,
        next: backToDiscord(guildId, texts),
      });
    } catch (failed) {
      failUnexpectedly(request, response, failed, guildId);
    }
  });

  app.get(`${connectPath}/:ticket`, async (request, response) => {
    const ticket = tickets.open(request.params.ticket);
    if (ticket === null) return fail(request, response, 'expired');
    try {
      const obstacle = await connect.obstacle(ticket);
      if (obstacle !== null) return fail(request, response, obstacle, ticket.guildId);
      // The ticket is a text with dots.
      const attempt = attempts.start(response, Buffer.from(request.params.ticket).toString('base64url'));
      response.redirect(303, await connect.start(ticket, attempt));
    } catch (failed) {
      failUnexpectedly(request, response, failed, ticket.guildId);
    }
  });
  return app;
}

function backToDiscord(guildId: string | null, texts: Texts): PlainPage['next'] {
  return { url: `https://discord.com/channels/${guildId ?? '@me'}`, label: texts.text('webPage.back') };
}
