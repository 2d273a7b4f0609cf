import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { minute, second } from '@tallyhook/platform/durations';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import {
  type CloseReason,
  type ConnectionOptions,
  closeCodes,
  GatewayConnection,
  GatewayServerSession,
  type Identify,
  opcode,
  type Resume,
  type SentDispatch,
  type Transport,
} from './connection.ts';
import type { DiscordState, Dispatch } from './discord-state.ts';
import { intent } from './flags.ts';
import { isCompression } from './transport-compression.ts';

/** How long a session without a connection can be resumed (ms). */
const resumeTimeoutMs = 3 * minute;

interface GatewayOptions extends ConnectionOptions {
  readonly url: string;
  readonly onDispatch: (dispatch: SentDispatch) => void;
  /** How many shards may identify in 5 s; null for no limit. */
  readonly maxConcurrency: number | null;
}

/** Discord: "Session Start Limit Object". */
const identifyIntervalMs = 5 * second;

/** A shard that identified, and whether it got a session. */
export interface RecordedIdentify {
  readonly shard: readonly [id: number, count: number];
  readonly accepted: boolean;
}

/** The gateway: sessions and their connections. Discord: "Gateway". */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #connections = new Map<GatewayConnection, GatewayServerSession | null>();
  readonly #sessions = new Map<string, GatewayServerSession>();
  /** When a shard last identified (monotonic, ms), by its rate limit key. */
  readonly #identifiedAt = new Map<number, number>();
  readonly identifies: RecordedIdentify[] = [];
  #frozen = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    options.state.events.on('dispatch', (dispatch) => this.#broadcast(dispatch));
  }

  /** True if a bot is connected and identified. */
  get connected(): boolean {
    return [...this.#sessions.values()].some((session) => session.send !== null);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): void {
    this.#sockets.handleUpgrade(request, socket, head, (open) => {
      const compression = query.get('compress');
      const version = query.get('v');
      const encoding = query.get('encoding') ?? 'json';
      if (version !== '9' && version !== '10') open.close(...closeCodes.invalidVersion);
      else if (encoding !== 'json' && encoding !== 'etf') open.close(...closeCodes.decodeError);
      else if (compression !== null && !isCompression(compression)) open.close(...closeCodes.decodeError);
      else this.#accept(open, { version: Number(version), encoding, compression });
    });
  }

  /** Closes every connection; unless `resumable`, clients must identify again. */
  drop(options: { resumable: boolean }): void {
    if (!options.resumable) this.#sessions.clear();
    for (const connection of this.#connections.keys()) connection.terminate();
  }

  /** Requests that every client reconnects and resumes (op 7). */
  askToReconnect(): void {
    for (const connection of this.#connections.keys()) connection.send({ op: opcode.reconnect, d: null });
  }

  /** Makes all connections zombies, and new ones until it is called with false. */
  freeze(frozen: boolean): void {
    this.#frozen = frozen;
    if (!frozen) return;
    for (const connection of this.#connections.keys()) connection.freeze();
  }

  stop(): void {
    for (const connection of this.#connections.keys()) connection.terminate();
    this.#sockets.close();
  }

  #accept(socket: WebSocket, transport: Transport): void {
    const connection = new GatewayConnection(socket, transport, this.#options, this);
    this.#connections.set(connection, null);
    if (this.#frozen) connection.freeze();
  }

  identify(connection: GatewayConnection, { intents, shard }: Identify): void {
    const { state, url } = this.#options;
    const accepted = !this.#isTooEarly(shard[0]);
    this.identifies.push({ shard, accepted });
    if (!accepted) {
      connection.invalidate();
      return;
    }
    const session = new GatewayServerSession(randomBytes(16).toString('hex'), intents, shard);
    this.#sessions.set(session.id, session);
    this.#attach(connection, session);
    const guild = { name: 'GUILD_CREATE', data: null, intent: intent.guilds, guildId: state.guildId };
    const isInGuild = state.isMember(state.bot.id);
    const ownGuild = isInGuild && session.accepts({ ...guild, intent: 0 });
    session.dispatch('READY', {
      v: connection.version,
      user: { ...state.bot, verified: true, mfa_enabled: false, email: null, flags: 0 },
      guilds: ownGuild ? [{ id: state.guildId, unavailable: true }] : [],
      session_id: session.id,
      resume_gateway_url: url,
      shard,
      application: { id: state.applicationId, flags: 0 },
      session_type: 'normal',
      private_channels: [],
      relationships: [],
      _trace: [],
    });
    if (isInGuild && session.accepts(guild)) session.dispatch('GUILD_CREATE', state.guildCreate(intents));
    state.events.emit('change', { kind: 'gateway', connected: true });
  }

  #isTooEarly(shardId: number): boolean {
    const { maxConcurrency, state } = this.#options;
    if (maxConcurrency === null) return false;
    const key = shardId % maxConcurrency;
    const now = state.stopwatch.monotonic();
    if (now - (this.#identifiedAt.get(key) ?? Number.NEGATIVE_INFINITY) < identifyIntervalMs) return true;
    this.#identifiedAt.set(key, now);
    return false;
  }

  resume(connection: GatewayConnection, { session_id, seq }: Resume): CloseReason | undefined {
    const session = this.#sessions.get(session_id);
    if (session !== undefined && seq > session.sequence) return 'invalidSequence';
    if (session === undefined || !session.canReplayAfter(seq)) {
      this.#sessions.delete(session_id);
      connection.invalidate();
      return undefined;
    }
    this.#attach(connection, session);
    session.replayAfter(seq);
    session.dispatch('RESUMED', { _trace: [] });
    this.#options.state.events.emit('change', { kind: 'gateway', connected: true });
    return undefined;
  }

  #attach(connection: GatewayConnection, session: GatewayServerSession): void {
    this.#connections.set(connection, session);
    session.send = (payload) => {
      this.#options.onDispatch(payload);
      connection.send(payload);
    };
  }

  closed(connection: GatewayConnection, code: number): void {
    const session = this.#connections.get(connection);
    this.#connections.delete(connection);
    if (!session) return;
    session.send = null;
    // "Close codes 1000 and 1001 invalidate the session."
    if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    else void this.#deleteAfterTimeout(session);
    this.#options.state.events.emit('change', { kind: 'gateway', connected: this.connected });
  }

  async #deleteAfterTimeout(session: GatewayServerSession): Promise<void> {
    const { stopwatch, stopped } = this.#options.state;
    await stopwatch.sleep(resumeTimeoutMs, stopped);
    if (session.send === null) this.#sessions.delete(session.id);
  }

  #broadcast(dispatch: Dispatch): void {
    for (const session of this.#sessions.values()) {
      if (session.accepts(dispatch)) session.dispatch(dispatch.name, dispatch.data);
    }
  }

  sendMembers(connection: GatewayConnection, data: unknown): CloseReason | undefined {
    const chunk = findRequestedMembers(this.#options.state, data);
    if (chunk === undefined) return 'decodeError';
    this.#connections.get(connection)?.dispatch('GUILD_MEMBERS_CHUNK', chunk);
    return undefined;
  }
}

const requestSchema = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  nonce: z.string().optional(),
});

/** The chunk that responds to "Request Guild Members"; undefined if the request is invalid. */
function findRequestedMembers(state: DiscordState, data: unknown) {
  const request = requestSchema.safeParse(data).data;
  if (request?.guild_id !== state.guildId) return undefined;
  const ids = request.user_ids === undefined ? undefined : [request.user_ids].flat();
  const matches = [...state.members.values()].filter(({ user }) =>
    ids === undefined ? user.username.startsWith(request.query ?? '') : ids.includes(user.id),
  );
  return {
    guild_id: state.guildId,
    members: request.limit ? matches.slice(0, request.limit) : matches,
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids?.filter((id) => !state.members.has(id)) ?? [],
    ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
  };
}
