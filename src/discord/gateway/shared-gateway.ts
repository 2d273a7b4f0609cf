import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { LeaseShare } from '@tallyhook/platform/leases/lease-share';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  createSharedIdentifyThrottle,
  type GatewayClient,
  GatewayConnection,
  type GatewayOptions,
  type IdentifyThrottle,
} from './gateway-client.ts';

/** How long `stop` waits for `start`. */
const startTimeoutMs = second;

type SharedGatewayOptions = GatewayOptions & {
  readonly leases: LeaseStore;
  /** The number of shards that Discord recommends. May reject. */
  readonly fetchShardCount: () => Promise<number>;
};

/**
 * Shares the shards of the gateway with other processes, so that one of them responds to an interaction. Each held shard
 * has a connection of its own. While the leases cannot be renewed, interactions are left to the next holder.
 */
export class SharedGateway implements GatewayClient {
  readonly #options: SharedGatewayOptions;
  readonly #stopping = new AbortController();
  readonly #identifyThrottle: IdentifyThrottle;
  /** By shard. */
  readonly #connections = new Map<number, GatewayConnection>();
  readonly #closing = new Set<Promise<void>>();
  /** The number of shards of all `#connections`. */
  #count = 0;
  #share: LeaseShare | undefined;
  #starting: Promise<void> | undefined;

  constructor(options: SharedGatewayOptions) {
    const { leases, clock } = options;
    this.#options = options;
    this.#identifyThrottle = createSharedIdentifyThrottle({
      ...{ leases, clock, signal: this.#stopping.signal },
      holder: () => this.#share?.holder() ?? '',
    });
  }

  get ready(): boolean {
    const all = [...this.#connections.values()];
    return all.length === 0 ? this.isStandby : all.every((connection) => connection.ready);
  }

  /** Other processes have all shards; this one takes over if one of them ends. It counts as ready. */
  get isStandby(): boolean {
    return this.#connections.size === 0 && (this.#share?.isMember() ?? false);
  }

  start(): void {
    this.#starting ??= this.#join();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await settleWithin(startTimeoutMs, this.#options.clock, this.#starting ?? Promise.resolve());
    await this.#close([...this.#connections.keys()]);
    await this.#share?.stop();
  }

  async #join(): Promise<void> {
    const { leases, clock, log, fetchShardCount } = this.#options;
    // Without a response it begins with one: Discord says if it requires more.
    const size = await fetchShardCount().catch(() => 1);
    if (this.#stopping.signal.aborted) return;
    this.#share = new LeaseShare({
      ...{ store: leases, group: 'gateway', size, clock, log },
      onChange: () => this.#update(),
      beforeRelease: (shards) => this.#close(shards),
    });
    this.#share.start();
  }

  #update(): void {
    if (this.#share === undefined || this.#stopping.signal.aborted) return;
    const held = this.#share.slots();
    void this.#close([...this.#connections.keys()].filter((shard) => !held.includes(shard)));
    if (this.#connections.size === 0) this.#count = this.#share.size();
    for (const shard of held) if (!this.#connections.has(shard)) this.#connect(shard);
  }

  #connect(shard: number): void {
    const connection = new GatewayConnection({
      ...this.#options,
      shard: { id: shard, count: this.#count },
      identifyThrottle: this.#identifyThrottle,
      onInteraction: (interaction) => {
        const isCurrent = this.#share?.holds(shard) === true && this.#connections.get(shard) === connection;
        if (isCurrent) this.#options.onInteraction(interaction);
      },
      onShardingRequired: () => void this.#addShards(),
    });
    this.#connections.set(shard, connection);
    connection.start();
  }

  async #close(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      const connection = this.#connections.get(shard);
      if (connection === undefined) continue;
      this.#connections.delete(shard);
      const stopped = connection.stop().finally(() => this.#closing.delete(stopped));
      this.#closing.add(stopped);
    }
    await Promise.all(this.#closing);
  }

  /** For all processes, at once. */
  async #addShards(): Promise<void> {
    const { log, fetchShardCount } = this.#options;
    try {
      const recommended = await fetchShardCount();
      if (this.#share === undefined || recommended <= this.#share.size()) return;
      log.warn({ from: this.#share.size(), to: recommended }, 'Discord requires more shards');
      await this.#share.resize(recommended);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the number of shards could not be changed; retrying');
    }
  }
}
