import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLeaseShare } from '@tallyhook/platform/leases/lease-share';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { createSharedIdentifyThrottle } from './identify-throttle.ts';

type GatewayClientOptions = Parameters<typeof createGatewayClient>[0];

/** How long `stop` waits for `start`. */
const startTimeoutMs = second;

/** The gateway connections of one process. */
export interface SharedGateway extends GatewayClient {
  /** Other processes have all shards; this one takes over if one of them ends. It counts as ready. */
  readonly isStandby: boolean;
}

/**
 * Shares the shards of the gateway with other processes, so that one of them responds to an interaction. Each held shard
 * has a client of its own. While the leases cannot be renewed, interactions are left to the next holder.
 */
export function createSharedGateway(
  options: Omit<GatewayClientOptions, 'shard' | 'identifyThrottle' | 'onShardingRequired'> & {
    readonly leases: LeaseStore;
    /** The number of shards that Discord recommends. May reject. */
    readonly fetchShardCount: () => Promise<number>;
  },
): SharedGateway {
  const { leases, fetchShardCount, ...clientOptions } = options;
  const { clock, log, native = null } = clientOptions;
  const stopping = new AbortController();
  /** By shard. */
  let clients = new Map<number, GatewayClient>();
  const closing = new Set<Promise<void>>();
  /** The number of shards of all `clients`. */
  let count = 0;
  let share: ReturnType<typeof createLeaseShare> | undefined;
  let starting: Promise<void> | undefined;

  const identifyThrottle = createSharedIdentifyThrottle({
    leases,
    clock,
    signal: stopping.signal,
    holder: () => share?.holder() ?? '',
  });

  function openClient(shard: number): GatewayClient {
    const isCurrent = () => share?.holds(shard) === true && clients.get(shard) === client;
    const client = createGatewayClient({
      ...clientOptions,
      shard: { id: shard, count },
      identifyThrottle,
      async onInteraction(interaction) {
        if (isCurrent()) await clientOptions.onInteraction(interaction);
      },
      native: native && {
        takes: native.takes,
        async handle(interaction) {
          if (isCurrent()) await native.handle(interaction);
        },
      },
      onShardingRequired: () => void addShards(),
    });
    client.start();
    return client;
  }

  async function close(shards: readonly number[]): Promise<void> {
    const closed = shards.flatMap((shard) => clients.get(shard) ?? []);
    clients = new Map([...clients].filter(([shard]) => !shards.includes(shard)));
    for (const client of closed) {
      const stopped = client.stop().finally(() => closing.delete(stopped));
      closing.add(stopped);
    }
    await Promise.all(closing);
  }

  function update(): void {
    if (share === undefined || stopping.signal.aborted) return;
    const held = share.slots();
    void close([...clients.keys()].filter((shard) => !held.includes(shard)));
    if (clients.size === 0) count = share.size();
    for (const shard of held) if (!clients.has(shard)) clients.set(shard, openClient(shard));
  }

  /** For all processes, at once. */
  async function addShards(): Promise<void> {
    try {
      const recommended = await fetchShardCount();
      if (share === undefined || recommended <= share.size()) return;
      log.warn({ from: share.size(), to: recommended }, 'Discord requires more shards');
      await share.resize(recommended);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the number of shards could not be changed; retrying');
    }
  }

  async function start(): Promise<void> {
    // Without a response it begins with one: Discord says if it requires more.
    const size = await fetchShardCount().catch(() => 1);
    if (stopping.signal.aborted) return;
    share = createLeaseShare({
      store: leases,
      group: 'gateway',
      size,
      clock,
      log,
      onChange: update,
      beforeRelease: close,
    });
    share.start();
  }

  return {
    get ready() {
      const all = [...clients.values()];
      return all.length === 0 ? isStandby() : all.every((client) => client.ready);
    },
    get isStandby() {
      return isStandby();
    },
    start() {
      starting ??= start();
    },
    async stop() {
      stopping.abort();
      await settleWithin(startTimeoutMs, clock, starting ?? Promise.resolve());
      await close([...clients.keys()]);
      await share?.stop();
    },
  };

  function isStandby(): boolean {
    return clients.size === 0 && (share?.isMember() ?? false);
  }
}
