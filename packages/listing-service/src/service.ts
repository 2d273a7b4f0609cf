import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { localUrl } from '@tallyhook/platform/host-address';
import { createHttpServer, type HttpServer } from '@tallyhook/platform/http/server';
import { adaptLogger, type Logger, silentLogger } from '@tallyhook/platform/logger';
import { once } from '@tallyhook/platform/memoize';
import { requireNode } from '@tallyhook/platform/node-version';
import { type Resolve, shareQueries, systemResolve } from '@tallyhook/platform/webhooks/target';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { type ActionLimits, defaultActionLimits, type LimitedAction, openAdmission } from './abuse/admission.ts';
import { openProofOfWork } from './abuse/proof-of-work.ts';
import type { VoteChallenge } from './abuse/vote-challenge.ts';
import { createServiceAdmin, type ServiceAdmin } from './admin.ts';
import { KeyUsage } from './api/key-usage.ts';
import { keyLimit } from './api/lookup-api.ts';
import { apiBasePath } from './api/openapi.ts';
import { createServiceApp, rejectExpectation, requireHost } from './app.ts';
import { createDiscordSignIn, type DiscordApplication, discordApi } from './discord-sign-in/discord-accounts.ts';
import type { ServiceFace } from './face/face.ts';
import { startCountingMembers } from './invites/count-members.ts';
import { createDiscordInvites } from './invites/discord-invites.ts';
import { startMaintenance } from './maintenance.ts';
import { createMonitoring, serviceReadiness } from './monitoring/monitoring.ts';
import { createServiceCounters } from './monitoring/service-counters.ts';
import { createSessions } from './pages/session.ts';
import { openRateLimits } from './rate-limits.ts';
import { type SeedResult, seed } from './seed/seed.ts';
import { openDatabase } from './storage/database.ts';
import { storedSetting } from './storage/settings.ts';
import { exponentialRetry, type WebhookRetryPolicy } from './webhooks/attempt.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';

/** Options of {@link startService}. Everything but `allowLoopbackTargets` has a default. */
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
  readonly log?: Logger;
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
  /** Name, logo, colour, links and legal texts of the pages. */
  readonly face?: ServiceFace;
  /** The Discord user ids of the operators, who may open the moderation pages. */
  readonly operators?: readonly string[];
  /** The number of reverse proxies whose entries in `X-Forwarded-For` are trusted (default: 0). */
  readonly trustProxy?: number;
  /**
   * How often each member and each address may vote, review, report, sign in, create and edit listings, and send
   * webhooks from the dashboard; null for no limits (default: generous limits, and none with `actAsMembers`).
   */
  readonly actionLimits?: Partial<Readonly<Record<LimitedAction, ActionLimits>>> | null;
  /** The challenge that members have to pass before each vote: that of this service, or your own (default: none). */
  readonly challenge?: 'proof-of-work' | VoteChallenge | null;
  /** The retry policy of webhooks (default: ten attempts in hours). */
  readonly retry?: WebhookRetryPolicy;
  /** Resolves host names (default: the resolver of the operating system). */
  readonly resolve?: Resolve;
  /**
   * A further port for `/healthz`, `/readyz` with reasons, and `/metrics`, which need no credentials; 0 selects a free
   * one. Without it there are no metrics.
   */
  readonly operationsPort?: number;
  /** The address on which `operationsPort` listens (default: 127.0.0.1). */
  readonly operationsHost?: string;
  /**
   * How long requests are still answered after `stop` was called (ms, default 0), while `/readyz` is 503, so that a load
   * balancer notices before connections are refused.
   */
  readonly drainMs?: number;
}

/** The running service with its programmatic API. */
export interface RunningService extends ServiceAdmin {
  /** The port that it listens on. */
  readonly port: number;
  /** The URL of its pages, without a trailing slash. */
  readonly url: string;
  /** The base URL of its API; ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The URL of `/healthz`, `/readyz` and `/metrics`, without a trailing slash; null without the option `operationsPort`. */
  readonly operationsUrl: string | null;
  /** The seeded listings; null without the option `seed`. */
  readonly seeded: SeedResult | null;
  /**
   * Stops receiving requests and completes those in progress (3 s), stops sending webhooks, and closes the database.
   * Queued deliveries stay queued.
   */
  stop(): Promise<void>;
}

/** For each part that the stop waits for, such as a database that does not respond (ms). */
const closeTimeoutMs = 3 * second;

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
  requireNode();
  const {
    host = '127.0.0.1',
    clock = systemClock,
    operationsHost = '127.0.0.1',
    operationsPort,
    drainMs = 0,
    trustProxy = 0,
    challenge = null,
  } = options;
  const actAsMembers = options.actAsMembers ?? options.allowLoopbackTargets;
  const { log } = adaptLogger(options.log ?? silentLogger);
  const address = options.database ?? 'sqlite::memory:';
  const database = await openDatabase(address, log);
  const servers: HttpServer[] = [];
  let isStopping = false;
  /** Ends what runs so far. */
  let stop = async () => {
    await Promise.all(servers.map((server) => server.close()));
    await database.destroy();
  };

  async function listen(listener: RequestListener, at: { host: string; port: number }, option: string) {
    const server = createHttpServer(listener, {
      unknownExpectation: rejectExpectation,
      // An icon may be uploaded over a slow connection.
      requestTimeout: 1 * minute,
    });
    servers.push(server);
    try {
      return await server.listen(at.host, at.port);
    } catch (cause) {
      throw new TallyhookError('service_address', `The service cannot listen on ${at.host}:${at.port}.`, {
        cause,
        hint: `Choose another --${option}port or --${option}host.`,
      });
    }
  }

  const counters = createServiceCounters();
  const context = {
    database,
    clock,
    log,
    counters,
    retry: options.retry ?? exponentialRetry,
    targets: { allowLoopback: options.allowLoopbackTargets, resolve: shareQueries(options.resolve ?? systemResolve) },
  };
  try {
    const seeded = options.seed ? await seed(database, clock.now()) : null;
    const sessionKey = await storedSetting(database, 'session_key', () => randomBytes(32).toString('base64url'));
    const chosen = options.actionLimits === undefined && actAsMembers ? null : options.actionLimits;
    const actionLimits = chosen === null ? null : { ...defaultActionLimits, ...chosen };
    const limits = await openRateLimits({ ...context, address, redisUrl: options.redis });
    const admission = await openAdmission({ ...context, trustProxy, limits, actionLimits });
    const proofOfWork = challenge === 'proof-of-work' ? await openProofOfWork(database) : null;
    // Links contain the port, so the listener is created when it is known.
    let listener: RequestListener = () => {};
    const { port } = await listen((...call) => listener(...call), { host, port: options.port ?? 0 }, '');
    const url = options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? localUrl(host, port);
    const usage = new KeyUsage(context);
    const dispatcher = new WebhookDispatcher(context, log);
    dispatcher.start();
    const nudge = () => dispatcher.nudge();
    const maintenance = startMaintenance({ ...context, limits }, nudge);
    const invites = createDiscordInvites({ apiUrl: discordApi(options.discord ?? {}), log });
    const counting = startCountingMembers(context, invites);
    const monitoring = createMonitoring({
      ...context,
      checks: serviceReadiness(database, { webhooks: dispatcher, maintenance, limit: limits }),
      isStopping: () => isStopping,
    });
    const app = createServiceApp({
      ...context,
      countRequest: limits.create('key', keyLimit),
      usage,
      origin: url,
      face: options.face ?? {},
      queued: nudge,
      actAsMembers,
      admission,
      trustProxy,
      approvesBots: !actAsMembers || (options.operators ?? []).length > 0,
      sessions: createSessions(database, {
        key: sessionKey,
        secure: url.startsWith('https:'),
        operators: new Set(options.operators),
      }),
      challenge: challenge === 'proof-of-work' ? proofOfWork : challenge,
      discord: options.discord ? createDiscordSignIn(options.discord, { origin: url, key: sessionKey, clock }) : null,
      invites,
      health: monitoring.publicHealth,
    });
    listener = monitoring.count(requireHost(app));

    stop = once(async () => {
      isStopping = true;
      if (drainMs > 0) await clock.sleep(drainMs);
      await Promise.all([
        ...servers.map((server) => server.close()),
        ...[maintenance.stop(), counting.stop(), dispatcher.stop()],
      ]);
      await settleWithin(closeTimeoutMs, systemClock, usage.stop());
      limits.close();
      await settleWithin(closeTimeoutMs, systemClock, database.destroy());
      log.info('service stopped');
    });

    const at = operationsPort === undefined ? null : { host: operationsHost, port: operationsPort };
    const operationsUrl = at && (await listen(monitoring.operations, at, 'operations-')).url;
    log.info({ url, ...(operationsUrl !== null && { operationsUrl }) }, 'service listening');
    const admin = createServiceAdmin(context, nudge);
    return { ...admin, port, url, baseUrl: url + apiBasePath, operationsUrl, seeded, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
