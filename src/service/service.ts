import type { AddressInfo } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import { TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { runMaintenance } from './actions/keep-house.ts';
import { createServiceAdmin, type ServiceAdmin } from './admin.ts';
import { basePath, createServiceApp } from './app.ts';
import { startMaintenance } from './maintenance.ts';
import { openSessions } from './pages/session.ts';
import { type Seeded, seed } from './seed/seed.ts';
import { createServiceServer, withHost } from './serve.ts';
import { openDatabase } from './storage/database.ts';
import { startWebhookDispatcher } from './webhooks/dispatcher.ts';
import { exponentialRetry, type WebhookRetryPolicy } from './webhooks/retry.ts';
import { type Resolve, systemResolve } from './webhooks/target.ts';

export interface ServiceOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** `sqlite:` and a path, or `sqlite::memory:`. */
  readonly database: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Lets webhooks go to this machine itself, also over plain http: for the sandbox and for development, never for hosting. */
  readonly allowLoopbackTargets: boolean;
  /** Puts the seeded community into the database, if it is not there yet. */
  readonly seed?: boolean;
  /** Lets every visitor of the pages act as any member; by default where loopback targets are allowed. */
  readonly actAsMembers?: boolean;
  /** Where the service is reached from outside, if that is not the address it listens on. */
  readonly publicUrl?: string;
  /** When a webhook is tried again; the default takes hours. */
  readonly retry?: WebhookRetryPolicy;
  /** Asks DNS; the default is the system's resolver. */
  readonly resolve?: Resolve;
}

/** The service while it runs, with all that members and owners can do, by program. */
export interface RunningService extends ServiceAdmin {
  /** The port on which it listens. */
  readonly port: number;
  /** Where its pages are, without a slash at the end. */
  readonly url: string;
  /** Where its API is: ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The seeded listings, if seeding was asked for. */
  readonly seeded: Seeded | null;
  /** Stops receiving, then sending, then storing. What is queued stays queued. */
  stop(): Promise<void>;
}

/** Starts the service: database, queue of webhooks, HTTP. `stop` takes them down in the opposite order. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { clock, log } = options;
  const database = await openDatabase(options.database, log);
  const seeded = options.seed ? await seed(database, clock.now()) : null;
  const sending = {
    database,
    clock,
    retry: options.retry ?? exponentialRetry,
    targets: { allowLoopback: options.allowLoopbackTargets, resolve: options.resolve ?? systemResolve },
  };
  const sessions = await openSessions(database, options.publicUrl?.startsWith('https:') ?? false);
  const server = createServiceServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
  } catch (cause) {
    await database.destroy();
    throw new TallyhookError('service_address', `The service cannot listen on ${options.host}:${options.port}.`, {
      cause,
      hint: 'Choose another --port or --host.',
    });
  }
  const dispatcher = startWebhookDispatcher(sending, log);
  const stopHousekeeping = startMaintenance(
    async (now) => {
      if ((await runMaintenance(database, now)) > 0) dispatcher.nudge();
    },
    clock,
    log,
  );
  const { port } = server.address() as AddressInfo;
  const url = options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? addressOf(options.host, port);
  const actAsMembers = options.actAsMembers ?? options.allowLoopbackTargets;
  server.on(
    'request',
    withHost(createServiceApp({ sending, log, origin: url, sessions, actAsMembers, queued: dispatcher.nudge })),
  );
  log.info({ url }, 'service listening');

  let stopped: Promise<void> | null = null;
  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await stopHousekeeping();
    await dispatcher.stop();
    server.closeAllConnections();
    await closed;
    await database.destroy();
    log.info('service stopped');
  }

  return {
    ...createServiceAdmin(sending, dispatcher.nudge),
    port,
    url,
    baseUrl: url + basePath,
    seeded,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
