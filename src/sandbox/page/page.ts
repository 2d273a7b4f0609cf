import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Commands } from '../discord/commands.ts';
import type { DiscordState, StateChange } from '../discord/discord-state.ts';
import type { MemberClient } from '../discord/member-client.ts';
import type { Messages } from '../discord/messages.ts';
import { readAssets } from './assets.ts';
import { BalanceCache } from './balances.ts';
import { EventStream } from './event-stream.ts';
import { isSameOrigin, securityHeaders } from './guard.ts';
import { createActions } from './page-actions.ts';
import type { PagePorts } from './ports.ts';
import type { PageChange } from './protocol.ts';
import { fullState, sidebarState, simulationState } from './snapshot.ts';
import { Timeline } from './timeline.ts';

export interface PageOptions {
  readonly state: DiscordState;
  readonly messages: Messages;
  readonly commands: Commands;
  readonly client: MemberClient;
  readonly ports: PagePorts;
  readonly stopped: AbortSignal;
  readonly stopwatch: Clock;
  readonly log: Log | undefined;
}

type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

export interface SandboxPage {
  readonly handle: Handle;
  /** Resolves when all of it can be served. Throws what {@link readAssets} throws. */
  ready(): Promise<void>;
}

/**
 * The page on which a person sees this Discord, acts as its members, and votes on the service. Its files are read while the rest of
 * the sandbox starts: whoever asks before that waits.
 */
export function createPage(options: PageOptions): SandboxPage {
  const { state, client, ports, stopped, stopwatch, log } = options;
  const loadingAssets = readAssets();
  // Said to whoever asks for a file; until then nobody listens.
  loadingAssets.catch(() => {});
  const perform = createActions(client, ports);
  const stream = new EventStream(stopwatch, stopped);
  const credits = new BalanceCache({
    userIds: [...state.members.keys()].filter((userId) => userId !== state.bot.id),
    fetchBalance: (userId) => ports.credits(userId),
    clock: stopwatch,
    onChange: (balances) => stream.tell({ kind: 'credits', credits: balances }),
  });
  const timeline = new Timeline(state, ports.events, (item) => {
    stream.tell({ kind: 'timeline', item });
    void credits.refresh();
  });
  ports.events.on('conditions', () => stream.tell({ kind: 'conditions', ...simulationState(ports) }));
  let connected = false;
  state.events.on('change', (change) => {
    if (change.kind === 'gateway') connected = change.connected;
    stream.tell(toPageChange(change) ?? { kind: 'places', ...sidebarState(options, connected) });
  });

  const act = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    const body = await readJson(request);
    const result = await perform(path, body);
    response.writeHead(result.status, { ...securityHeaders, 'Content-Type': 'application/json' });
    response.end(JSON.stringify(result.body));
  };

  const handle: Handle = async (request, response, path) => {
    try {
      if (!isSameOrigin(request)) sendError(response, 403, 'Only the page itself, on this machine, may ask this.');
      else if (request.method === 'POST') await act(request, response, path);
      else if (request.method !== 'GET') sendError(response, 405, 'Only GET and POST.');
      else if (path === '/page/events') {
        await credits.refresh();
        stream.add(response, fullState(options, { connected, credits: credits.current, timeline: timeline.items }));
      } else {
        const asset = (await loadingAssets).get(path);
        if (asset === undefined) sendError(response, 404, 'There is nothing here.');
        else response.writeHead(200, { ...securityHeaders, 'Content-Type': asset.type }).end(asset.bytes);
      }
    } catch (error) {
      log?.error({ reason: messageOf(error) }, 'The page failed.');
      if (response.headersSent) response.destroy();
      else sendError(response, 500, 'The page failed. The log says why.');
    }
  };
  return { handle, ready: async () => void (await loadingAssets) };
}

/** What the page is told of a change; null when the places (channels, members, commands) have to be sent again. */
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
  response.writeHead(status, { ...securityHeaders, 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

/** A small JSON body; what is too large or no JSON is as good as nothing. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 32 * 1024) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
