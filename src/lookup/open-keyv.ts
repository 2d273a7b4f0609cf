import { dirname } from 'node:path';
import { hour, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { makeDirectory } from '@tallyhook/platform/make-directory';
import { Keyv } from 'keyv';
import { memoryKeyv, namespace } from './memory-keyv.ts';

/**
 * Opens the cache at `url`: `memory:`, `sqlite:` and a path, or `redis://…` (also `rediss://…`). `keyv.disconnect()`
 * closes it.
 *
 * If the file or the adapter cannot be used, the cache is in memory instead, and `onFallback` is called with the
 * reason. While Redis is unavailable, every read is a miss; the client reconnects automatically.
 *
 * @throws TallyhookError `cache_url_unknown`, also for an invalid URL of Redis
 */
export async function openKeyv(url: string, onFallback: (error: unknown) => void = () => {}): Promise<Keyv> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  if (scheme === 'memory:') return memoryKeyv();
  if (scheme === 'sqlite:') return sqliteKeyv(url.slice(scheme.length), onFallback);
  if (scheme === 'redis:' || scheme === 'rediss:') return redisKeyv(url, onFallback);
  throw new TallyhookError('cache_url_unknown', `The URL of the cache has the unknown scheme "${scheme}".`, {
    hint: 'Use memory:, sqlite: and a path, or redis:// and a host.',
  });
}

async function sqliteKeyv(path: string, onFallback: (error: unknown) => void): Promise<Keyv> {
  let keyv: Keyv | undefined;
  try {
    const { KeyvSqlite, sqliteDriver: driver } = await import('./keyv-sqlite.ts');
    makeDirectory(dirname(path));
    const store = new KeyvSqlite({ uri: path, wal: true, clearExpiredInterval: hour, driver });
    keyv = new Keyv({ store, namespace });
    keyv.on('error', ignore);
    await store.ready;
    // Cache entries that are lost in a power failure can be requested again, so no fsync is needed.
    await store.query('PRAGMA synchronous = NORMAL');
    return keyv;
  } catch (error) {
    onFallback(error);
    await keyv?.disconnect();
    return memoryKeyv();
  }
}

async function redisKeyv(url: string, onFallback: (error: unknown) => void): Promise<Keyv> {
  const adapter = await import('./keyv-redis.ts').catch(onFallback);
  if (!adapter) return memoryKeyv();
  try {
    const store = new adapter.KeyvRedis(
      { url, disableOfflineQueue: true, socket: { connectTimeout: second } },
      { connectionTimeout: second, throwOnConnectError: false, throwOnErrors: false },
    );
    const keyv = new Keyv({ store, namespace });
    keyv.on('error', ignore);
    return keyv;
  } catch {
    // The driver's own error would contain the URL, and with it a password.
    throw new TallyhookError('cache_url_unknown', 'The URL of the cache is invalid.', {
      hint: 'Use redis://user:password@host:6379, with special characters of the password percent-encoded.',
    });
  }
}

/** Keyv throws an error event without a listener. The response store has the listener that reports it. */
function ignore(): void {}
