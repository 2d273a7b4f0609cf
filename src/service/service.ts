import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../platform/clock.ts';
import { TallyhookError } from '../platform/errors.ts';
import { createLog, type Log } from '../platform/log.ts';
import { type ActionLimits, defaultActionLimits, type LimitedAction } from './abuse/action-limits.ts';
import { openAdmission } from './abuse/admission.ts';
import { openProofOfWork } from './abuse/proof-of-work.ts';
import type { VoteChallenge } from './abuse/vote-challenge.ts';
import { createServiceAdmin, type ServiceAdmin } from './admin.ts';
import { createKeyUsage } from './api/key-usage.ts';
import { apiBasePath, createServiceApp } from './app.ts';
import type { DiscordApplication } from './discord-sign-in/discord-accounts.ts';
import { createDiscordSignIn } from './discord-sign-in/discord-sign-in.ts';
import { startMaintenance } from './maintenance.ts';
import { createSessions } from './pages/session.ts';
import { openReservations } from './rate-limit/open-reservations.ts';
import { createRateLimiter, defaultRules } from './rate-limit/rate-limiter.ts';
import { type SeedResult, seed } from './seed/seed.ts';
import { createServiceServer, requireHost } from './server.ts';
import { openDatabase } from './storage/database.ts';
import { storedSetting } from './storage/settings.ts';
import { startWebhookDispatcher } from './webhooks/dispatcher.ts';
import { exponentialRetry, type WebhookRetryPolicy } from './webhooks/retry.ts';
import { type Resolve, systemResolve } from './webhooks/target.ts';

export interface ServiceOptions {
  /** The address to listen on (default: 127.0.0.1). */
  readonly host?: string;
  /** 0 (default) selects a free port. */
  readonly port?: number;
  /** `sqlite:` and a path, or `sqlite::memory:` (default). */
  readonly database?: string;
  /**
   * `redis://` or `rediss://`, also of Valkey: counts the requests of API keys there (default: in the database, or in a
   * file beside it). All processes of the service need the same.
   */
  readonly redis?: string;
  /** The clock of this machine by default. */
  readonly clock?: Clock;
  /** Silent by default. */
  readonly log?: Log;
  /** Allows webhooks to this machine, also over http: for tests, the sandbox and development, never for hosting. */
  readonly allowLoopbackTargets: boolean;
  /** Inserts the example community if it does not exist. */
  readonly seed?: boolean;
  /** Lets every visitor of the pages act as any member (default: the value of `allowLoopbackTargets`). */
  readonly actAsMembers?: boolean;
  /**
   * Members sign in with Discord, and prove which servers are theirs, by this application (default: none). Its redirect
   * URL is `/sign-in/discord/callback` below the public URL. It should not be the bot's: signing in ends the tokens that
   * the application has of the member, such as those of linked roles.
   */
  readonly discord?: DiscordApplication;
  /** The public URL, if it differs from the address that the service listens on. */
  readonly publicUrl?: string;
  /** The Discord user ids of the operators, who may open the moderation pages. */
  readonly operators?: readonly string[];
  /** The number of reverse proxies whose entries in `X-Forwarded-For` are trusted (default: 0). */
  readonly trustProxy?: number;
  /**
   * How often each member and each address may vote, review, report, sign in and create listings; null for no limits
   * (default: generous limits, and none with `actAsMembers`).
   */
  readonly actionLimits?: Partial<Readonly<Record<LimitedAction, ActionLimits>>> | null;
  /** What members have to pass before each vote: the one of this service, or your own (default: nothing). */
  readonly challenge?: 'proof-of-work' | VoteChallenge | null;
  /** The retry policy of webhooks (default: ten attempts in hours). */
  readonly retry?: WebhookRetryPolicy;
  /** Resolves host names (default: the resolver of the operating system). */
  readonly resolve?: Resolve;
}

/** The running service with its programmatic API. */
export interface RunningService extends ServiceAdmin {
  /** The port that it listens on. */
  readonly port: number;
  /** The URL of its pages, without a trailing slash. */
  readonly url: string;
  /** The base URL of its API; ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The seeded listings; null without the option `seed`. */
  readonly seeded: SeedResult | null;
  /** Stops receiving requests, then sending webhooks, then closes the database. Queued deliveries stay queued. */
  stop(): Promise<void>;
}

/**
 * Starts the service: database, HTTP server, webhook dispatcher, maintenance.
 * @throws TallyhookError `service_database` or `service_address`
 * @example
 * ```ts
 * import { startService } from 'tallyhook/sandbox';
 *
 * const service = await startService({ seed: true, allowLoopbackTargets: true });
 * const [listing] = await service.listings();
 * if (listing) {
 *   await service.setWebhook(listing.id, { voteUrl: 'http://127.0.0.1:3000/webhooks/vote', voteSecret: 'a secret of 16 bytes' });
 *   await service.castVote({ listingId: listing.id, userId: '80351110224678912', username: 'mira' });
 * }
 * await service.stop();
 * ```
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', clock = systemClock } = options;
  const actAsMembers = options.actAsMembers ?? options.allowLoopbackTargets;
  const log = options.log ?? createLog({ level: 'silent', secrets: [] });
  const address = options.database ?? 'sqlite::memory:';
  const database = await openDatabase(address, log);
  const seeded = options.seed ? await seed(database, clock.now()) : null;
  const context = {
    database,
    clock,
    retry: options.retry ?? exponentialRetry,
    targets: { allowLoopback: options.allowLoopbackTargets, resolve: options.resolve ?? systemResolve },
  };
  const reservations = await openReservations({
    ...{ database, address, redisUrl: options.redis },
    ...{ clock, log, rules: defaultRules },
  });
  const sessionKey = await storedSetting(database, 'session_key', () => randomBytes(32).toString('base64url'));
  const server = createServiceServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, host, resolve);
    });
  } catch (cause) {
    await reservations.close();
    await database.destroy();
    throw new TallyhookError('service_address', `The service cannot listen on ${host}:${options.port}.`, {
      cause,
      hint: 'Choose another --port or --host.',
    });
  }
  const { trustProxy = 0, challenge = null } = options;
  const limits = options.actionLimits === undefined && actAsMembers ? null : options.actionLimits;
  const admission = await openAdmission({
    database,
    clock,
    log,
    trustProxy,
    limits: limits === null ? null : { ...defaultActionLimits, ...limits },
  });
  const proofOfWork = challenge === 'proof-of-work' ? await openProofOfWork(database) : null;
  const limiter = createRateLimiter({ reservations, clock, log });
  const usage = createKeyUsage({ database, clock, log });
  const dispatcher = startWebhookDispatcher(context, log);
  const stopMaintenance = startMaintenance({ database, clock, log }, dispatcher.nudge);
  const { port } = server.address() as AddressInfo;
  const url = options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? urlOf(host, port);
  server.on(
    'request',
    requireHost(
      createServiceApp({
        sending: context,
        limiter,
        usage,
        log,
        origin: url,
        sessions: createSessions(database, {
          key: sessionKey,
          secure: url.startsWith('https:'),
          operators: new Set(options.operators),
        }),
        actAsMembers,
        approvesBots: !actAsMembers || (options.operators ?? []).length > 0,
        admission,
        challenge: challenge === 'proof-of-work' ? proofOfWork : challenge,
        trustProxy,
        discord: options.discord ? createDiscordSignIn(options.discord, { origin: url, key: sessionKey, clock }) : null,
        queued: dispatcher.nudge,
      }),
    ),
  );
  log.info({ url }, 'service listening');

  let stopped: Promise<void> | null = null;
  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await stopMaintenance();
    await dispatcher.stop();
    server.closeAllConnections();
    await closed;
    await admission.stop();
    await limiter.stop();
    await usage.stop();
    await database.destroy();
    log.info('service stopped');
  }

  return {
    ...createServiceAdmin(context, dispatcher.nudge),
    port,
    url,
    baseUrl: url + apiBasePath,
    seeded,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
