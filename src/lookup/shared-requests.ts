import type { Keyv } from 'keyv';

/** Claims of requests to the service, so that one of several processes sends a request. */
export type SharedRequests = NonNullable<ReturnType<typeof sharedRequestsIn>>;

/** What the client of Redis offers here. */
interface RedisClient {
  set(key: string, value: string, options: { readonly NX: true; readonly PX: number }): Promise<unknown>;
  del(key: string): Promise<unknown>;
}

const prefix = 'tallyhook-request:';

/** Claims beside the cache, if it is in Redis; null for a cache that no other process uses. */
export function sharedRequestsIn(cache: Keyv) {
  const store: unknown = cache.store;
  if (!hasRedisClient(store)) return null;
  return {
    /** Whether the caller should send the request: nobody else does, or it is not known. Never rejects. */
    async claim(key: string, ttlMs: number): Promise<boolean> {
      try {
        const client = await store.getClient();
        return (await client.set(prefix + key, '1', { NX: true, PX: ttlMs })) !== null;
      } catch {
        return true;
      }
    },
    /** Ends a claim, after the response was stored or the request failed. Never rejects. */
    async end(key: string): Promise<void> {
      try {
        const client = await store.getClient();
        await client.del(prefix + key);
      } catch {
        // It expires.
      }
    },
  };
}

function hasRedisClient(store: unknown): store is { getClient(): Promise<RedisClient> } {
  return typeof store === 'object' && store !== null && 'getClient' in store && typeof store.getClient === 'function';
}
