import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import type { Log } from '../../platform/log.ts';
import { isOwnHost } from '../../platform/web/host.ts';
import { readBytes } from '../discord/body.ts';
import type { StateChange } from '../discord/discord-state.ts';
import type { DiscordStore } from '../discord/discord-store.ts';
import type { GuildControls } from '../discord/guild-controls.ts';
import type { MemberClient } from '../discord/member-client.ts';
import { readAssets } from './assets.ts';
import { createActionHandler } from './page-actions.ts';
import type { PagePorts } from './ports.ts';
import {
  type Balances,
  fullState,
  type PageChange,
  type PageEvent,
  sidebarState,
  simulationState,
  type TimedPageEvent,
} from './snapshot.ts';
import { Timeline } from './timeline.ts';

interface PageOptions {
  readonly store: DiscordStore;
  readonly client: MemberClient;
  readonly guild: GuildControls;
  readonly ports: PagePorts;
  readonly log: Log | undefined;
}

type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

interface SandboxPage {
  readonly handle: Handle;
  /** Resolves when the page can be served. @throws as {@link readAssets} */
  ready(): Promise<void>;
}

/**
 * The page that shows the local Discord, acts as its members, and votes on the service. Its files are loaded while the rest of the
 * sandbox starts; earlier requests wait.
 */
export function createPage(options: PageOptions): SandboxPage {
  const { store, ports, log } = options;
  const { state } = store;
  const { stopwatch, stopped } = state;
  const loadingAssets = readAssets();
  // Requests for a file report the error; this prevents an unhandled rejection before the first one.
  loadingAssets.catch(() => {});
  const perform = createActionHandler(options);
  const stream = new EventStream({ stopwatch, stopped, now: () => ports.time.now() });
  const credits = new BalanceCache({
    userIds: [...state.users.keys()].filter((userId) => userId !== state.bot.id),
    fetchBalance: (userId) => ports.credits(userId),
    clock: stopwatch,
    onChange: (balances) => stream.send({ kind: 'credits', credits: balances }),
  });
  const timeline = new Timeline(state, ports.events, (item) => {
    stream.send({ kind: 'timeline', item });
    void credits.refresh();
  });
  ports.events.on('simulation', () => stream.send({ kind: 'simulation', ...simulationState(ports) }));
  let connected = false;
  state.events.on('change', (change) => {
    if (change.kind === 'gateway') connected = change.connected;
    stream.send(toPageChange(change) ?? { kind: 'sidebar', ...sidebarState(store, connected) });
  });

  const act = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    const body = await readBytes(request, maxBodyBytes);
    const result = await perform(path, parseJson(body?.toString('utf8') ?? ''));
    response.writeHead(result.status, { ...pageSecurityHeaders, 'Content-Type': 'application/json' });
    response.end(JSON.stringify(result.body));
  };

  const handle: Handle = async (request, response, path) => {
    try {
      if (!isSameOrigin(request))
        sendError(response, 403, 'Only the page itself may send this request, from this machine.');
      else if (request.method === 'POST') await act(request, response, path);
      else if (request.method !== 'GET') sendError(response, 405, 'Only GET and POST are supported.');
      else if (path === '/page/events') {
        await credits.refresh();
        stream.add(
          response,
          fullState(store, ports, { connected, credits: credits.current, timeline: timeline.items }),
        );
      } else {
        const asset = (await loadingAssets).get(path);
        if (asset === undefined) sendError(response, 404, 'Not found.');
        else response.writeHead(200, { ...pageSecurityHeaders, 'Content-Type': asset.type }).end(asset.bytes);
      }
    } catch (error) {
      log?.error({ reason: messageOf(error) }, 'page request failed');
      if (response.headersSent) response.destroy();
      else sendError(response, 500, 'The request failed. See the log of the sandbox.');
    }
  };
  return { handle, ready: async () => void (await loadingAssets) };
}

/** The event that a change sends to the page; null if the sidebar state must be sent again. */
function toPageChange(change: StateChange): PageChange | null {
  switch (change.kind) {
    case 'message':
    case 'message_deleted':
    case 'interaction':
    case 'modal':
      return change;
    default:
      return null;
  }
}

function sendError(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { ...pageSecurityHeaders, 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

/** Of an action (bytes). */
const maxBodyBytes = 32 * 1024;

/** Interval of events that only keep the stream open and the page's clock right (ms): browsers close an idle stream. */
const keepAliveMs = 20 * second;

/** Sends events to every open page (Server-Sent Events), each with the current time. */
class EventStream {
  readonly #open = new Set<ServerResponse>();
  readonly #now: () => number;

  /** @param options.now the time that the page shows (ms since the epoch) */
  constructor({ stopwatch, stopped, now }: { stopwatch: Clock; stopped: AbortSignal; now: () => number }) {
    this.#now = now;
    void this.#keepAlive(stopwatch, stopped);
  }

  /** Opens a stream and sends `first`. */
  add(response: ServerResponse, first: PageEvent): void {
    response.writeHead(200, { ...pageSecurityHeaders, 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${second}\n${this.#eventLine(first)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  send(event: PageEvent): void {
    for (const response of this.#open) response.write(this.#eventLine(event));
  }

  async #keepAlive(clock: Clock, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await clock.sleep(keepAliveMs, stopped);
      this.send({ kind: 'time' });
    }
  }

  #eventLine(event: PageEvent): string {
    const timed: TimedPageEvent = { ...event, now: this.#now() };
    return `data: ${JSON.stringify(timed)}\n\n`;
  }
}

/**
 * Only our own files may be loaded. Avatars are generated as `data:` images, and the Discord components use style attributes for
 * colors; stylesheets and scripts must come from files.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src-attr 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
];

/** Sent with every response: no external resources, no framing, no caching. */
const pageSecurityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Whether a request comes from the page itself. The Host header must name this machine. Requests that change state must have our own
 * Origin and a JSON content type, which another site cannot make a browser send.
 */
function isSameOrigin(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (!isOwnHost(host)) return false;
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  return isJson && request.headers.origin === `http://${host}`;
}

/** How long events are collected before the balances are fetched again (ms). */
const batchDelayMs = 120;

interface BalanceOptions {
  readonly userIds: readonly string[];
  readonly fetchBalance: (userId: string) => Promise<number | null>;
  readonly clock: Clock;
  readonly onChange: (balances: Balances) => void;
}

/** The balances of all members, fetched again after events that may have changed them. */
class BalanceCache {
  current: Balances = {};
  readonly #options: BalanceOptions;
  #pending: Promise<void> | undefined;

  constructor(options: BalanceOptions) {
    this.#options = options;
  }

  /** Fetches the balances again. Calls within the batch delay share one fetch. */
  refresh(): Promise<void> {
    this.#pending ??= this.#fetchLater();
    return this.#pending;
  }

  async #fetchLater(): Promise<void> {
    await this.#options.clock.sleep(batchDelayMs);
    this.#pending = undefined;
    const { userIds, fetchBalance, onChange } = this.#options;
    const balances = await Promise.all(userIds.map((id) => fetchBalance(id).catch(() => null)));
    const balancesByUser = Object.fromEntries(userIds.map((id, index) => [id, balances[index] ?? null]));
    if (JSON.stringify(balancesByUser) === JSON.stringify(this.current)) return;
    this.current = balancesByUser;
    onChange(balancesByUser);
  }
}
