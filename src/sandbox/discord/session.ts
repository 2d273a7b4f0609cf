import type { Dispatch } from './discord-state.ts';

/** A dispatch as it went out: op 0 with its sequence number. */
export interface SentDispatch {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** Discord keeps a session's events for a while only; a client that missed more has to identify anew. */
const maxReplayedEvents = 1000;

/** One gateway session: it outlives its connection, so that it can be resumed. Discord: "Resuming". */
export class GatewayServerSession {
  readonly id: string;
  readonly intents: number;
  /** This shard and how many there are. */
  readonly shard: readonly [number, number];
  /** Where the events go; null while nobody is connected. */
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

  /** Whether an event is for this session: it asked for such events, and the guild is one of its shard's. */
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

  /** Whether all that came after `sequence` is still known. */
  canReplayAfter(sequence: number): boolean {
    return sequence >= (this.#sent[0]?.s ?? 1) - 1;
  }

  /** Sends again what came after `sequence`. */
  replayAfter(sequence: number): void {
    for (const payload of this.#sent) {
      if (payload.s > sequence) this.send?.(payload);
    }
  }
}
