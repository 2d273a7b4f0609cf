import { randomUUID } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';

export type EffectNotices = ReturnType<typeof createEffectNotices>;

export type NoticeListener = (queues: readonly string[]) => void;

/** How notices reach other processes. */
export interface OtherProcesses {
  /** Begins to receive their notices. */
  start(): void;
  /** To the other processes alone. */
  publish(queues: readonly string[]): void;
  stop(): void;
}

const noOthers: OtherProcesses = { start() {}, publish() {}, stop() {} };

/**
 * Says at once which queues have new effects, here and in the other processes. Notices of other processes may be lost, for
 * example while Redis is down: the worker also finds such effects by itself, a little later.
 * @param connect how other processes are reached; null if there are none
 */
export function createEffectNotices(connect: ((onNotice: NoticeListener) => OtherProcesses) | null) {
  const listeners = new Set<NoticeListener>();
  const notify: NoticeListener = (queues) => {
    for (const listener of listeners) listener(queues);
  };
  const others = connect?.(notify) ?? noOthers;
  return {
    ...others,
    /**
     * Calls the listener with the queues of each notice, of this process or another one. It must not throw. Returns what ends
     * that.
     */
    listen(listener: NoticeListener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** To the listeners here, and to the other processes. */
    nudge(queues: readonly string[]): void {
      notify(queues);
      others.publish(queues);
    },
  };
}

/** Channel of Redis (publish/subscribe). Its messages are JSON: the id of the sender, then names of queues. */
const topic = 'tallyhook:effect-queues';
/** How long notices are collected, so that thousands of deliveries per second are few messages. */
const collectMs = second / 50;

/**
 * Reaches other processes through the cache if it is in Redis, otherwise null. Connects on first use, and again whenever the
 * connection is lost.
 */
export function noticesThrough(cacheUrl: string, clock: Clock): ((onNotice: NoticeListener) => OtherProcesses) | null {
  return /^rediss?:/.test(cacheUrl) ? (onNotice) => connectProcesses(cacheUrl, clock, onNotice) : null;
}

function connectProcesses(url: string, clock: Clock, onNotice: NoticeListener): OtherProcesses {
  const ownId = randomUUID();
  const clients = new Set<RedisClient>();
  let publisher: RedisClient | undefined;
  let isConnecting = false;
  let collected = new Set<string>();
  let stopped = false;

  /** Calls `use` once connected, however long that takes. */
  async function connect(use: (client: RedisClient) => Promise<void>): Promise<void> {
    const client = await createRedisClient(url);
    if (stopped) return;
    clients.add(client);
    await client.connect();
    await use(client);
  }

  async function usePublisher(client: RedisClient): Promise<void> {
    publisher = client;
  }

  async function send(): Promise<void> {
    await clock.sleep(collectMs);
    const message = JSON.stringify([ownId, ...collected]);
    collected = new Set();
    await publisher?.publish(topic, message).catch(ignore);
  }

  function receive(message: string): void {
    const [senderId, ...queues] = parseNotice(message);
    if (senderId !== ownId) onNotice(queues);
  }

  return {
    start(): void {
      const subscribe = (client: RedisClient) => client.subscribe(topic, receive);
      connect(subscribe).catch(ignore);
    },
    publish(queues: readonly string[]): void {
      if (!isConnecting) {
        isConnecting = true;
        connect(usePublisher).catch(ignore);
      }
      if (collected.size === 0 && queues.length > 0) void send();
      for (const queue of queues) collected.add(queue);
    },
    stop(): void {
      stopped = true;
      for (const client of clients) if (client.isOpen) client.destroy();
    },
  };
}

/** The texts in a notice; none if something else was sent. */
function parseNotice(message: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(message);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

type RedisClient = Awaited<ReturnType<typeof createRedisClient>>;

async function createRedisClient(url: string) {
  const { createClient } = await import('../../lookup/keyv-redis.ts');
  const client = createClient({ url, disableOfflineQueue: true, socket: { connectTimeout: second } });
  // Without a listener, an error would end the process.
  client.on('error', ignore);
  return client;
}

/** Errors of the connection are those that the cache reports. */
function ignore(): void {}
