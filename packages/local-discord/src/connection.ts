import { setTimeout } from 'node:timers/promises';
import { minute } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { DiscordState, Dispatch } from './discord-state.ts';
import { decodeEtf, encodeEtf } from './etf.ts';
import { knownIntents, privilegedIntents } from './flags.ts';
import { type Compression, MessageCompressor } from './transport-compression.ts';

/** Gateway opcodes. Discord: "Opcodes and Status Codes". */
export const opcode = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/** Gateway close codes. After `invalidShard` and the later ones a client must not reconnect. */
export const closeCodes = {
  unknownOpcode: [4001, 'Unknown opcode.'],
  decodeError: [4002, 'Error while decoding payload.'],
  notAuthenticated: [4003, 'Not authenticated.'],
  authenticationFailed: [4004, 'Authentication failed.'],
  alreadyAuthenticated: [4005, 'Already authenticated.'],
  invalidSequence: [4007, 'Invalid seq.'],
  rateLimited: [4008, 'Rate limited.'],
  timedOut: [4009, 'Session timed out.'],
  invalidShard: [4010, 'Invalid shard.'],
  shardingRequired: [4011, 'Sharding required.'],
  invalidVersion: [4012, 'Invalid API version.'],
  invalidIntents: [4013, 'Invalid intent(s).'],
  disallowedIntents: [4014, 'Disallowed intent(s).'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

export type CloseReason = keyof typeof closeCodes;

const payloadSchema = z.object({ op: z.int(), d: z.unknown() });

const identifySchema = z.object({
  token: z.string(),
  intents: z.int(),
  properties: z.looseObject({}),
  shard: z.tuple([z.int(), z.int().min(1)]).default([0, 1]),
});

const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

export type Identify = z.output<typeof identifySchema>;
export type Resume = z.output<typeof resumeSchema>;

/**
 * Discord's hello never arrives in the packet of the response to the upgrade, whose rest some clients do not read: of
 * Seyfert, its own WebSocket (ms).
 */
const helloDelayMs = 10;

/** Options that all connections of a gateway share. */
export interface ConnectionOptions {
  readonly state: DiscordState;
  readonly token: string;
  readonly heartbeatInterval: number;
  /** The privileged intents that are enabled for the application. */
  readonly grantedIntents: number;
}

/** Parameters in the query of a connection's URL. */
export interface Transport {
  readonly version: number;
  readonly encoding: 'json' | 'etf';
  readonly compression: Compression | null;
}

/** Methods of the gateway that a connection calls. */
interface ConnectionOwner {
  identify(connection: GatewayConnection, identify: Identify): void;
  resume(connection: GatewayConnection, resume: Resume): CloseReason | undefined;
  sendMembers(connection: GatewayConnection, data: unknown): CloseReason | undefined;
  closed(connection: GatewayConnection, code: number): void;
}

/** One WebSocket: hello, heartbeats, identify and resume, and the payload limits. Discord: "Gateway", connection lifecycle. */
export class GatewayConnection {
  /** The version of the API that the connection was opened with. */
  readonly version: number;
  readonly #encoding: Transport['encoding'];
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #owner: ConnectionOwner;
  readonly #compressor: MessageCompressor | null;
  readonly #closed = new AbortController();
  #authenticated = false;
  #frozen = false;
  #lastHeartbeat: number;
  #received = { count: 0, resetsAt: Number.NEGATIVE_INFINITY };

  constructor(
    socket: WebSocket,
    { version, encoding, compression }: Transport,
    options: ConnectionOptions,
    owner: ConnectionOwner,
  ) {
    this.#socket = socket;
    this.version = version;
    this.#encoding = encoding;
    this.#compressor = compression === null ? null : new MessageCompressor(compression);
    this.#options = options;
    this.#owner = owner;
    this.#lastHeartbeat = options.state.stopwatch.monotonic();
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', (code) => {
      this.#closed.abort();
      this.#compressor?.close();
      owner.closed(this, code);
    });
    socket.on('error', () => socket.terminate());
    void this.#greet();
    void this.#checkHeartbeats();
  }

  async #greet(): Promise<void> {
    await setTimeout(helloDelayMs);
    this.#write({ op: opcode.hello, d: { heartbeat_interval: this.#options.heartbeatInterval, _trace: [] } });
  }

  send(payload: { readonly op: number; readonly d: unknown }): void {
    if (!this.#frozen) this.#write(payload);
  }

  #write(payload: { readonly op: number; readonly d: unknown }): void {
    const envelope = { t: null, s: null, ...payload };
    const message = this.#encoding === 'etf' ? encodeEtf(envelope) : JSON.stringify(envelope);
    if (this.#compressor === null) this.#socket.send(message);
    else this.#compressor.compress(message, (bytes) => this.#socket.send(bytes));
  }

  close(closeReason: CloseReason): void {
    const [code, reason] = closeCodes[closeReason];
    const close = () => this.#socket.close(code, reason);
    if (this.#compressor === null) close();
    else this.#compressor.afterLast(close);
  }

  /** Closes the socket without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Makes it a zombie connection: it stays open but no longer sends or receives. */
  freeze(): void {
    this.#frozen = true;
  }

  /** The session cannot be resumed; the client may identify on the same connection. */
  invalidate(): void {
    this.#authenticated = false;
    this.send({ op: opcode.invalidSession, d: false });
  }

  #receive(data: RawData): void {
    if (this.#frozen) return;
    const closeReason = this.#handle(toBuffer(data));
    if (closeReason !== undefined) this.close(closeReason);
  }

  /** Handles a payload; returns the reason if the connection must be closed. */
  #handle(bytes: Buffer): CloseReason | undefined {
    const decode = this.#encoding === 'etf' ? decodeEtf : (text: Buffer) => parseJson(text.toString('utf8'));
    const payload = payloadSchema.safeParse(bytes.length > 4096 ? undefined : decode(bytes)).data;
    if (payload === undefined) return 'decodeError';
    if (this.#isRateLimited()) return 'rateLimited';
    const { op, d } = payload;
    if (op === opcode.heartbeat) return this.#acknowledge();
    if (op === opcode.identify) return this.#identify(d);
    if (op === opcode.resume) return this.#resume(d);
    if (!this.#authenticated) return 'notAuthenticated';
    if (op === opcode.requestMembers) return this.#owner.sendMembers(this, d);
    const ignored: readonly number[] = [opcode.presence, opcode.voiceState];
    return ignored.includes(op) ? undefined : 'unknownOpcode';
  }

  #acknowledge(): undefined {
    this.#lastHeartbeat = this.#options.state.stopwatch.monotonic();
    this.send({ op: opcode.heartbeatAck, d: null });
  }

  #identify(data: unknown): CloseReason | undefined {
    if (this.#authenticated) return 'alreadyAuthenticated';
    const identify = identifySchema.safeParse(data).data;
    if (identify === undefined) return 'decodeError';
    if (!this.#isValidToken(identify.token)) return 'authenticationFailed';
    const { intents, shard } = identify;
    if ((intents & ~knownIntents) !== 0) return 'invalidIntents';
    if ((intents & privilegedIntents & ~this.#options.grantedIntents) !== 0) return 'disallowedIntents';
    if (shard[0] < 0 || shard[0] >= shard[1]) return 'invalidShard';
    if (shard[1] < this.#options.state.requiredShards) return 'shardingRequired';
    this.#authenticated = true;
    this.#owner.identify(this, identify);
    return undefined;
  }

  #resume(data: unknown): CloseReason | undefined {
    if (this.#authenticated) return 'alreadyAuthenticated';
    const resume = resumeSchema.safeParse(data).data;
    if (resume === undefined) return 'decodeError';
    if (!this.#isValidToken(resume.token)) return 'authenticationFailed';
    this.#authenticated = true;
    return this.#owner.resume(this, resume);
  }

  /** "Apps can send 120 gateway events per connection every 60 seconds." Discord: "Gateway", rate limiting. */
  #isRateLimited(): boolean {
    const now = this.#options.state.stopwatch.monotonic();
    if (now >= this.#received.resetsAt) this.#received = { count: 0, resetsAt: now + minute };
    this.#received.count += 1;
    return this.#received.count > 120;
  }

  #isValidToken(token: string): boolean {
    return token.replace(/^Bot /, '') === this.#options.token;
  }

  async #checkHeartbeats(): Promise<void> {
    const { state, heartbeatInterval } = this.#options;
    while (!this.#closed.signal.aborted) {
      await state.stopwatch.sleep(heartbeatInterval, this.#closed.signal);
      const sinceHeartbeatMs = state.stopwatch.monotonic() - this.#lastHeartbeat;
      if (sinceHeartbeatMs > 1.5 * heartbeatInterval && !this.#frozen) this.close('timedOut');
    }
  }
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** A sent dispatch: op 0 with its sequence number. */
export interface SentDispatch {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** Number of events per session that can be replayed; a client that missed more must identify again. */
const maxReplayedEvents = 1000;

/** One gateway session. It survives its connection, so that it can be resumed. Discord: "Resuming". */
export class GatewayServerSession {
  readonly id: string;
  readonly intents: number;
  /** Shard id and number of shards. */
  readonly shard: readonly [number, number];
  /** Sends events to the client; null without a connection. */
  send: ((payload: SentDispatch) => void) | null = null;
  #sequence = 0;
  #sent: SentDispatch[] = [];

  constructor(id: string, intents: number, shard: readonly [number, number]) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** True if the session receives an event: it has the intent, and the guild belongs to its shard. */
  accepts({ intent, guildId }: Dispatch): boolean {
    const [shard, count] = this.shard;
    const eventShard = guildId === null ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count));
    return shard === eventShard && (intent === 0 || (this.intents & intent) !== 0);
  }

  dispatch(name: string, data: unknown): void {
    this.#sequence += 1;
    const payload: SentDispatch = { op: 0, t: name, s: this.#sequence, d: data };
    this.#sent.push(payload);
    if (this.#sent.length > maxReplayedEvents) this.#sent = this.#sent.slice(-maxReplayedEvents);
    this.send?.(payload);
  }

  /** True if all events after `sequence` are still stored. */
  canReplayAfter(sequence: number): boolean {
    return sequence >= (this.#sent[0]?.s ?? 1) - 1;
  }

  /** Sends the events after `sequence` again. */
  replayAfter(sequence: number): void {
    for (const payload of this.#sent) {
      if (payload.s > sequence) this.send?.(payload);
    }
  }
}
