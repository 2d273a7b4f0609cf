import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { formatElapsed, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import { sendJson } from '@tallyhook/platform/web/simple-page';
import type { StateChange } from 'local-discord';
import { readBytes } from 'local-discord/body';
import type { DiscordState, Timing } from 'local-discord/discord-state';
import type { DiscordStore } from 'local-discord/discord-store';
import { readAssets } from './assets.ts';
import { type ActionParts, createActionHandler } from './page-actions.ts';
import type { KeyedItem, PagePorts, TimelineItem, TimelineLine, Tone } from './ports.ts';
import {
  type Balances,
  fullState,
  type PageChange,
  type PageEvent,
  sidebarState,
  simulationState,
  type TimedPageEvent,
} from './snapshot.ts';

/**
 * The page that shows the local Discord, acts as its members, and votes on the service. Its files are loaded while the rest of the
 * sandbox starts; earlier requests wait.
 */
export function createPage(options: ActionParts & { readonly store: DiscordStore; readonly log: Log | undefined }) {
  const { store, ports, log } = options;
  const { state } = store;
  const startedAt = state.stopwatch.now();
  const loadingAssets = readAssets();
  // Requests for a file report the error; this prevents an unhandled rejection before the first one.
  loadingAssets.catch(() => {});
  const perform = createActionHandler(options);
  const stream = createEventStream(state, () => ports.time.now());
  const userIds = [...state.users.keys()].filter((userId) => userId !== state.bot.id);
  const credits = createBalances(userIds, ports, state.stopwatch, (balances) =>
    stream.send({ kind: 'credits', credits: balances }),
  );
  const timeline = createTimeline(state, ports.events, (item) => {
    stream.send({ kind: 'timeline', item });
    void credits.refresh();
  });
  ports.events.on('simulation', () => stream.send({ kind: 'simulation', ...simulationState(ports) }));
  ports.events.on('tour', (step) => stream.send({ kind: 'tour', step }));
  let connected = false;
  state.events.on('change', (change) => {
    if (change.kind === 'gateway') connected = change.connected;
    stream.send(toPageChange(change) ?? { kind: 'sidebar', ...sidebarState(store, connected) });
  });

  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (!isSameOrigin(request))
      return sendJson(response, 403, { error: 'Only the page itself may send this request, from this machine.' });
    if (request.method === 'POST') {
      const body = await readBytes(request, maxBodyBytes);
      const result = await perform(path, parseJson(body?.toString('utf8') ?? ''));
      return sendJson(response, result.status, result.body);
    }
    if (request.method !== 'GET') return sendJson(response, 405, { error: 'Only GET and POST are supported.' });
    if (path === '/page/events') {
      await credits.refresh();
      const now = { startedAt, connected, credits: credits.current, timeline: timeline.items };
      return stream.add(response, fullState(store, ports, now));
    }
    if (path === consolePath) {
      response.writeHead(303, { Location: ports.consoleLink() ?? '/' }).end();
      return;
    }
    const asset = (await loadingAssets).get(path);
    if (asset === undefined) return sendJson(response, 404, { error: 'Not found.' });
    response.writeHead(200, { 'Content-Type': asset.type }).end(asset.bytes);
  }

  return {
    async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
      setSecurityHeaders(request, response, () => {});
      try {
        await answer(request, response, path);
      } catch (error) {
        log?.error({ reason: messageOf(error) }, 'page request failed');
        if (response.headersSent) response.destroy();
        else sendJson(response, 500, { error: 'The request failed. See the log of the sandbox.' });
      }
    },
    /** Resolves when the page can be served. @throws as {@link readAssets} */
    ready: async () => void (await loadingAssets),
  };
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

/** Leads to the owner's console, signed in. */
export const consolePath = '/console';

/** Of an action (bytes): also the text of a file in a modal. */
const maxBodyBytes = 1024 * 1024;

/** Interval of events that only keep the stream open and the page's clock right (ms): browsers close an idle stream. */
const keepAliveMs = 20 * second;

/**
 * Sends events to every open page (Server-Sent Events), each with the current time.
 *
 * @param now the time that the page shows (ms since the epoch)
 */
function createEventStream({ stopwatch, stopped }: Timing, now: () => number) {
  const open = new Set<ServerResponse>();

  function eventLine(event: PageEvent): string {
    const timed: TimedPageEvent = { ...event, now: now() };
    return `data: ${JSON.stringify(timed)}\n\n`;
  }

  function send(event: PageEvent): void {
    for (const response of open) response.write(eventLine(event));
  }

  async function keepAlive(): Promise<void> {
    while (!stopped.aborted) {
      await stopwatch.sleep(keepAliveMs, stopped);
      send({ kind: 'time' });
    }
  }

  void keepAlive();
  return {
    send,
    /** Opens a stream and sends `first`. */
    add(response: ServerResponse, first: PageEvent): void {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`retry: ${second}\n${eventLine(first)}`);
      open.add(response);
      response.on('close', () => open.delete(response));
    },
  };
}

/**
 * Sent with every response: no framing, no caching, and only our own files may be loaded. Avatars are generated as `data:` images,
 * and the Discord components use style attributes for colors; stylesheets and scripts must come from files.
 */
const setSecurityHeaders = securityHeaders({
  contentSecurityPolicy: {
    'default-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'style-src-attr': ["'unsafe-inline'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    'object-src': ["'none'"],
  },
  referrerPolicy: 'no-referrer',
});

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

/** The balances of all members, fetched again after events that may have changed them. */
function createBalances(
  userIds: readonly string[],
  { credits }: PagePorts,
  clock: Clock,
  onChange: (balances: Balances) => void,
) {
  let current: Balances = {};
  let pending: Promise<void> | undefined;

  async function fetchLater(): Promise<void> {
    await clock.sleep(batchDelayMs);
    pending = undefined;
    const entries = userIds.map(async (id) => [id, await credits(id).catch(() => null)] as const);
    const balances = Object.fromEntries(await Promise.all(entries));
    if (JSON.stringify(balances) === JSON.stringify(current)) return;
    current = balances;
    onChange(balances);
  }

  return {
    get current(): Balances {
      return current;
    },
    /** Fetches the balances again. Calls within the batch delay share one fetch. */
    refresh(): Promise<void> {
      pending ??= fetchLater();
      return pending;
    },
  };
}

/** Number of items that are stored. */
const maxItems = 200;

/** The timeline: events that the sandbox reports, and the bot's activity on Discord. */
function createTimeline(state: DiscordState, source: PagePorts['events'], onItem: (item: KeyedItem) => void) {
  const items = new BoundedMap<KeyedItem>(maxItems);
  /** Apart, so that they push no votes out. */
  const commands = new BoundedMap<KeyedItem>(maxItems);
  let lines = 0;
  let isConnected = false;

  function add(item: TimelineItem): void {
    const key = item.kind === 'delivery' ? `delivery-${item.id}` : `line-${lines++}`;
    const keyedItem = { ...item, key };
    const isCommand = item.kind === 'line' && item.source === 'command';
    (isCommand ? commands : items).set(key, keyedItem);
    onItem(keyedItem);
  }

  function addLine(tone: Tone, text: string, source: TimelineLine['source'] = 'discord'): void {
    add({ kind: 'line', at: state.clock.now(), source, tone, text });
  }

  source.on('timeline', add);
  state.events.on('change', (change) => {
    if (change.kind === 'gateway' && change.connected !== isConnected) {
      isConnected = change.connected;
      addLine(isConnected ? 'good' : 'bad', `The bot is ${isConnected ? 'connected' : 'disconnected'}`);
    }
    if (change.kind === 'interaction' && change.state !== 'sent') {
      const username = state.user(change.userId)?.username ?? 'An unknown user';
      const action = `${username} ${change.action}`;
      if (change.state === 'failed') addLine('bad', `${action}: no response within 3 seconds`);
      else addLine('plain', `${action}: responded after ${formatElapsed(change.afterMs)}`, 'command');
    }
  });
  return {
    /** Oldest first. */
    get items(): readonly KeyedItem[] {
      return [...items.values(), ...commands.values()].toSorted((one, other) => one.at - other.at);
    },
  };
}
