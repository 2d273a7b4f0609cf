import { createPublicKey, verify } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { BodyMemory, memoryRetryAfterSeconds, readBody } from '@tallyhook/platform/http/body';
import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  type APIInteraction,
  type APIInteractionResponse,
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  Routes,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { type Application, fetchApplication } from '../inspection.ts';
import type { DiscordRest } from '../rest.ts';
import type { InteractionHandler } from './interactions.ts';
import { createHttpTransport, type RestTransports } from './responses.ts';

export const interactionsPath = '/interactions';

/** How many interactions are remembered, so that each is handled once. */
const maxRememberedInteractions = 20_000;
/** For interactions in progress when the endpoint stops (ms). */
const stopTimeoutMs = 3 * second;
/** Shortest time between two log messages about the same rejection (ms). */
const rejectionLogIntervalMs = 10 * second;

interface Rejection {
  readonly status: 400 | 401 | 405 | 409 | 413 | 415 | 503;
  readonly error: string;
}

const unsigned: Rejection = { status: 401, error: 'The signature is missing or wrong.' };
const outdated: Rejection = { status: 401, error: "The timestamp is not within 15 minutes of this machine's clock." };
const stopping: Rejection = { status: 503, error: 'The process is stopping.' };
const noMemory: Rejection = { status: 503, error: 'Too many unfinished requests.' };

/** Names and values in turn. */
const headersOf: Readonly<Partial<Record<Rejection['status'], readonly string[]>>> = {
  405: ['allow', 'POST'],
  503: ['retry-after', String(memoryRetryAfterSeconds)],
};

/**
 * Verifies each request by the application's key, responds to Discord's PING, and passes interactions to `handle`, each
 * id once. The response is 202 without a body if `handle` responds to none, or by a request of its own.
 */
export function createInteractionsEndpoint(options: {
  /** 64 hexadecimal digits. */
  publicKey: string;
  handle: InteractionHandler;
  transports: RestTransports;
  /** Shared with the other routes of the program; by default its own. */
  memory?: BodyMemory;
  /** For the age of interactions. */
  clock: Clock;
  /** Real time. */
  stopwatch: Clock;
  log: Log;
  observe?: (status: number) => void;
}) {
  const { transports, memory = new BodyMemory(), clock, stopwatch, log, observe = () => {} } = options;
  const verify = createSignatureVerifier(options.publicKey);
  const logThrottled = createThrottledLog({ log, clock: stopwatch, intervalMs: rejectionLogIntervalMs });
  const handled = new BoundedMap<true>(maxRememberedInteractions);
  const pending = new Set<Promise<void>>();
  let isStopping = false;

  function reject(request: IncomingMessage, response: ServerResponse, { status, error }: Rejection): void {
    observe(status);
    // Discord sends requests with wrong signatures now and then, to check that they are rejected.
    const level = status === unsigned.status && error === unsigned.error ? 'info' : 'warn';
    logThrottled(level, `${status} ${error}`, 'interaction rejected', { status, reason: error });
    send(response, status, JSON.stringify({ success: false, error }), headersOf[status]);
    // Discard the unread rest of a body, or the sender may never read the response.
    if (!request.readableEnded) request.resume();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isStopping) return reject(request, response, stopping);
    const interaction = await readInteraction(request);
    if (interaction === null) return;
    if ('error' in interaction) return reject(request, response, interaction);
    if (interaction.type === InteractionType.Ping) {
      observe(200);
      return send(response, 200, JSON.stringify({ type: InteractionResponseType.Pong }));
    }
    if (handled.has(interaction.id)) {
      return reject(request, response, { status: 409, error: 'This interaction was received before.' });
    }
    handled.set(interaction.id, true);
    await respond(interaction, response);
  }

  async function respond(interaction: APIInteraction, response: ServerResponse): Promise<void> {
    const answer = (callback: APIInteractionResponse | null) => {
      observe(callback === null ? 202 : 200);
      return sendCallback(response, callback);
    };
    const transport = createHttpTransport({ rest: transports(interaction), answer, clock: stopwatch });
    await options.handle(interaction, transport);
    if (!response.headersSent) await answer(null);
  }

  /** Null if the sender closed the connection. */
  async function readInteraction(request: IncomingMessage): Promise<APIInteraction | Rejection | null> {
    if (request.method !== 'POST') return { status: 405, error: 'Send interactions with POST.' };
    if (request.headers['content-encoding'] !== undefined) {
      return { status: 415, error: 'Send the body uncompressed: the signature covers its raw bytes.' };
    }
    const signed = readSignature(request.headers);
    if (signed === null) return unsigned;
    // Before the body, which costs memory. A clock that is wrong shows in the log as well.
    if (!isRecent(signed, clock.now())) return outdated;
    const body = await readBody(request, memory);
    if (body === 'aborted') return null;
    if (body === 'too large') return { status: 413, error: `The body is larger than ${maxBodyBytes} bytes.` };
    if (body === 'consumed') return { status: 503, error: 'The body was already consumed by another handler.' };
    if (body === 'no memory') return noMemory;
    try {
      if (!(await verify(signed, body.bytes))) return unsigned;
    } finally {
      body.release();
    }
    return parseInteraction(body.bytes) ?? { status: 400, error: 'The body is not an interaction.' };
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const receiving = receive(request, response)
      .catch((error: unknown) => {
        logThrottled('error', 'internal error', 'an interaction could not be handled', { reason: messageOf(error) });
        if (!response.headersSent) reject(request, response, { status: 503, error: 'Internal error.' });
      })
      .finally(() => pending.delete(receiving));
    pending.add(receiving);
  }

  return {
    /** Handles a request for {@link interactionsPath}. */
    handle,
    /** Handles interactions and passes all other requests to `fallback`: like deliveries, without Express. */
    withFallback(fallback: RequestListener): RequestListener {
      return (request, response) => {
        if (request.url === interactionsPath) handle(request, response);
        else fallback(request, response);
      };
    },
    /** Rejects further interactions with 503, and waits for those in progress (3 s at most). */
    async stop(): Promise<void> {
      isStopping = true;
      await settleWithin(stopTimeoutMs, stopwatch, Promise.all(pending));
    },
  };
}

/** Resolves when the response was passed to the operating system. */
function sendCallback(response: ServerResponse, callback: APIInteractionResponse | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return reject(new Error('Discord closed the connection.'));
    response.once('finish', resolve);
    response.once('close', () => reject(new Error('Discord closed the connection.')));
    if (callback === null) response.writeHead(202).end();
    else send(response, 200, JSON.stringify(callback));
  });
}

function send(response: ServerResponse, status: number, text: string, headers: readonly string[] = []): void {
  const length = String(Buffer.byteLength(text));
  const contentHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  response.writeHead(status, [...contentHeaders, ...headers]).end(text);
}

/**
 * Maximum distance of the timestamp of an interaction from this machine's clock (ms): as long as the token of an
 * interaction is valid. Discord documents no limit; without one, a recorded request could be repeated for ever.
 */
const maxTimestampDistanceMs = 15 * minute;

/** The signature of the timestamp header followed by the raw body. Discord: "Validating Security Request Headers". */
interface SignedInteraction {
  /** Bytes of the header `X-Signature-Ed25519`. */
  readonly signature: Buffer;
  /** The header `X-Signature-Timestamp` (seconds since the epoch, in decimal). */
  readonly timestamp: string;
}

/** The signature of a request; null if a header is missing or malformed. */
function readSignature(headers: {
  readonly [name: string]: string | readonly string[] | undefined;
}): SignedInteraction | null {
  const signature = headers['x-signature-ed25519'];
  const timestamp = headers['x-signature-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return null;
  if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,13}$/.test(timestamp)) return null;
  return { signature: Buffer.from(signature, 'hex'), timestamp };
}

function isRecent({ timestamp }: SignedInteraction, now: number): boolean {
  return Math.abs(Number(timestamp) * second - now) <= maxTimestampDistanceMs;
}

/**
 * Says whether the application's key has signed a body, and never rejects. Verifies in a thread of Node's pool: a
 * signature takes ten times as long as the rest of a request, during which this thread can handle others.
 * @param publicKey 64 hexadecimal digits
 */
function createSignatureVerifier(publicKey: string) {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return ({ signature, timestamp }: SignedInteraction, body: Buffer) =>
    new Promise<boolean>((resolve) => {
      verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, signature, (error, isValid) =>
        resolve(error === null && isValid),
      );
    });
}

/*
 * The parts of interactions that this program reads. The signature proves that an interaction is from Discord, but not
 * that it has the shape of today. Discord: "Interaction Structure".
 */

const text = z.string().min(1);
/** A bit set in decimal. */
const permissions = z.string().regex(/^\d{1,30}$/);
const user = z.looseObject({ id: text, username: z.string(), global_name: z.string().nullish() });
const member = z.looseObject({
  user,
  nick: z.string().nullish(),
  roles: z.array(z.string()),
  permissions: permissions.optional(),
});

const anyInteraction = z.looseObject({ type: z.number() });

const userInteraction = z
  .looseObject({
    id: text,
    token: text,
    application_id: text.optional(),
    guild_id: text.optional(),
    member: member.optional(),
    user: user.optional(),
    channel: z.looseObject({ id: text }).optional(),
    app_permissions: permissions.optional(),
    locale: z.string().optional(),
    guild_locale: z.string().optional(),
    context: z.number().nullish(),
    authorizing_integration_owners: z.record(z.string(), z.string()).optional(),
  })
  .refine(({ guild_id, member, user }) => (guild_id === undefined ? (member ?? user) : member) !== undefined);

const option = z.looseObject({
  name: text,
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
});
const command = { id: text, name: text };
const message = z.looseObject({ attachments: z.array(z.unknown()), flags: z.int().optional() });
const objects = z.record(z.string(), z.looseObject({}));
const users = z.record(
  z.string(),
  z.looseObject({ username: z.string(), global_name: z.string().nullish(), bot: z.boolean().optional() }),
);
const resolved = z.looseObject({ users: users.optional(), channels: objects.optional(), roles: objects.optional() });
const field = z.looseObject({ custom_id: z.string().optional(), values: z.array(z.string()).optional() });
const component = z.looseObject({ components: z.array(field).optional(), component: field.optional() });

/** By the type of the interaction. */
const contents: Readonly<Partial<Record<InteractionType, z.ZodType>>> = {
  [InteractionType.ApplicationCommand]: z.looseObject({
    data: z
      .looseObject({
        ...command,
        type: z.number(),
        options: z.array(option).optional(),
        target_id: text.optional(),
        resolved: resolved.optional(),
      })
      .refine(({ type, target_id }) => type !== ApplicationCommandType.User || target_id !== undefined),
  }),
  [InteractionType.ApplicationCommandAutocomplete]: z.looseObject({
    data: z.looseObject({ ...command, options: z.array(option) }),
  }),
  [InteractionType.MessageComponent]: z.looseObject({
    data: z.looseObject({
      custom_id: z.string(),
      component_type: z.number(),
      values: z.array(z.string()).optional(),
      resolved: resolved.optional(),
    }),
    message,
  }),
  [InteractionType.ModalSubmit]: z.looseObject({
    data: z.looseObject({ custom_id: z.string(), components: z.array(component), resolved: resolved.optional() }),
    message: message.optional(),
  }),
};

/** The interaction of a signed body; null if a part that this program reads is missing or has another type. */
function parseInteraction(body: Buffer): APIInteraction | null {
  const value = parse(body);
  const kind = anyInteraction.safeParse(value).data?.type;
  if (kind === undefined) return null;
  if (kind !== InteractionType.Ping && !userInteraction.safeParse(value).success) return null;
  const content = Object.hasOwn(contents, kind) ? contents[kind as InteractionType] : undefined;
  return content === undefined || content.safeParse(value).success ? (value as APIInteraction) : null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Null sends interactions through the gateway. Discord checks a URL before it accepts it. Throws what {@link DiscordRest} throws. */
export async function setEndpoint(rest: DiscordRest, url: string | null): Promise<void> {
  await rest.patch(Routes.currentApplication(), { interactions_endpoint_url: url });
}

interface EndpointProblem {
  readonly level: 'warn' | 'fail';
  readonly problem: string;
  readonly hint: string;
}

/** Settings of a process that answers. `publicKey` null receives through the gateway; `url` null if it is not known. */
interface ExpectedEndpoint {
  readonly publicKey: string | null;
  readonly url: string | null;
}

/** Logs why this process will receive no commands, if Discord sends them elsewhere. Never rejects. */
export async function warnOfEndpoint(
  expected: ExpectedEndpoint,
  { rest, log }: { readonly rest: DiscordRest; readonly log: Log },
): Promise<void> {
  try {
    const problem = findEndpointProblem(await fetchApplication(rest), expected);
    if (problem === null) return;
    const level = problem.level === 'fail' ? 'error' : 'warn';
    log[level]({ reason: problem.problem, hint: problem.hint }, 'commands may not be received');
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the endpoint of commands could not be checked');
  }
}

/** Compares what Discord does with the settings of a process that answers; null if they fit. */
export function findEndpointProblem(
  { interactions_endpoint_url: actualUrl, verify_key: key }: Application,
  expected: ExpectedEndpoint,
): EndpointProblem | null {
  const { publicKey } = expected;
  if (publicKey === null) {
    if (actualUrl === null) return null;
    return {
      level: 'fail',
      problem: `Discord sends commands to ${actualUrl}, so the gateway receives none.`,
      hint: 'Set DISCORD_PUBLIC_KEY to receive them over HTTP, or run `tallyhook register --gateway`.',
    };
  }
  if (key !== publicKey) {
    return {
      level: 'fail',
      problem: 'DISCORD_PUBLIC_KEY is not the key of this application.',
      hint: `Set it to ${key}, and check that DISCORD_TOKEN belongs to the same application.`,
    };
  }
  if (actualUrl === null) {
    return {
      level: 'warn',
      problem: 'DISCORD_PUBLIC_KEY is set, but Discord has no endpoint to send commands to.',
      hint: 'Run `tallyhook register --http` while tallyhook is running, or remove DISCORD_PUBLIC_KEY to use the gateway.',
    };
  }
  if (expected.url !== null && actualUrl !== expected.url) {
    return {
      level: 'warn',
      problem: `Discord sends commands to ${actualUrl}, not to ${expected.url}.`,
      hint: 'Run `tallyhook register --http`, or correct PUBLIC_URL.',
    };
  }
  return null;
}
