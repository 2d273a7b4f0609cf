import type { IncomingMessage, ServerResponse } from 'node:http';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { readBytes } from '@tallyhook/platform/http/read-bytes';
import { parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import { sendJson } from '@tallyhook/platform/web/simple-page';
import type { StateChange, Timing } from '../discord-state.ts';
import type { DiscordStore } from '../discord-store.ts';
import { recordActivity } from './activity.ts';
import { readAssets } from './assets.ts';
import { type ActionParts, createActionHandler, createDiscordActions } from './page-actions.ts';
import type { PageExtension } from './page-extension.ts';
import { ownFace } from './page-html.ts';
import { fullState, type PageChange, type PageEvent, sidebarState } from './snapshot.ts';

interface PageOptions extends ActionParts {
  readonly store: DiscordStore;
  /** By id of a member, the bot or the guild, as `data:` URLs; letters of the name for others. */
  readonly pictures: Readonly<Record<string, string>>;
  /** Seconds that pass on Discord per second of real time. */
  readonly speed: number;
  readonly extension: PageExtension | undefined;
  readonly log: Log | undefined;
}

/**
 * The page that shows the local Discord and acts as its members. Its files are loaded while the rest starts; earlier requests
 * wait.
 */
export function createPage({ store, pictures, speed, extension, log, ...parts }: PageOptions) {
  const { state } = store;
  const startedAt = state.stopwatch.now();
  const { name } = extension ?? ownFace;
  const loadingAssets = readAssets(extension);
  // Requests for a file report the error; this prevents an unhandled rejection before the first one.
  loadingAssets.catch(() => {});
  const stream = createEventStream(state);
  const listeners: (() => void)[] = [];
  const activity = recordActivity(state, (line) => {
    stream.send({ kind: 'activity', line });
    for (const listener of listeners) listener();
  });
  const added = extension?.connect({
    userIds: state.people.map(({ id }) => id),
    stopwatch: state.stopwatch,
    send: stream.send,
    onActivity: (listener) => void listeners.push(listener),
  });
  const perform = createActionHandler({ ...createDiscordActions(parts, state.clock), ...added?.actions }, name);
  state.events.on('change', (change) => {
    stream.send(toPageChange(change) ?? { kind: 'sidebar', ...sidebarState(store, activity.isConnected) });
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
      await added?.prepare();
      const { isConnected: connected, lines } = activity;
      const facts = { startedAt, pictures, connected, speed, activity: lines, extension: added?.state() ?? null };
      return stream.add(response, fullState(store, facts));
    }
    if (added && Object.hasOwn(added.paths, path)) return added.paths[path]?.(response);
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
        else sendJson(response, 500, { error: `The request failed. See the log of the ${name}.` });
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

/** The largest body of an action (bytes), which may be the text of a file in a modal. */
const maxBodyBytes = 1024 * 1024;

/** Interval of events that only keep the stream open and the page's clock right (ms): browsers close an idle stream. */
const keepAliveMs = 20 * second;

/** Sends events to every open page (Server-Sent Events), each with the current time. */
function createEventStream({ clock, stopwatch, stopped }: Timing) {
  const open = new Set<ServerResponse>();

  function eventLine(event: PageEvent | { readonly kind: string }): string {
    return `data: ${JSON.stringify({ ...event, now: clock.now() })}\n\n`;
  }

  function send(event: PageEvent | { readonly kind: string }): void {
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
 * True if a request comes from the page itself. The Host header must name this machine. Requests that change state must have our own
 * Origin and a JSON content type, which another site cannot make a browser send.
 */
function isSameOrigin(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (!isOwnHost(host)) return false;
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  return isJson && request.headers.origin === `http://${host}`;
}
