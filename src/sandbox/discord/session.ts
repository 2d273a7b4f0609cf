import type { Dispatch } from './events.ts';

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

  /** Whether the session receives an event: it has the intent, and the guild belongs to its shard. */
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

  /** Whether all events after `sequence` are still stored. */
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
