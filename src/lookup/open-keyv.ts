import { dirname } from 'node:path';
import { Keyv, KeyvMemoryAdapter } from 'keyv';
import { hour, second } from '../platform/durations.ts';
import { TallyhookError } from '../platform/errors.ts';
import { makeDirectory } from '../platform/make-directory.ts';
import { BoundedMap } from './bounded-map.ts';

const namespace = 'tallyhook';

/** About 5 MB of vote statuses: more than a busy community asks for in a week. */
const entriesInMemory = 10_000;

/**
 * Opens the cache that `url` names: `memory:`, `sqlite:` and a path, or `redis://…` (also `rediss://…`). `keyv.disconnect()` closes it.
 *
 * A cache is a convenience. Where the file or the adapter cannot be used, the memory serves instead, and `onFallback` is told why. While
 * Redis is away, nothing is known, and it is found again by itself.
 *
 * @throws TallyhookError `cache_url_unknown`, also for an address of Redis that cannot be read
 */
export async function openKeyv(url: string, onFallback: (fault: unknown) => void = () => {}): Promise<Keyv> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  if (scheme === 'memory:') return memoryKeyv();
  if (scheme === 'sqlite:') return sqliteKeyv(url.slice(scheme.length), onFallback);
  if (scheme === 'redis:' || scheme === 'rediss:') return redisKeyv(url, onFallback);
  throw new TallyhookError(
    'cache_url_unknown',
    `The address of the cache begins with "${scheme}", which is not known.`,
    {
      hint: 'Write memory:, sqlite: and a path, or redis:// and a host.',
    },
  );
}

/** A cache in the memory of this process, which forgets the oldest entries first. */
export function memoryKeyv(limit: number = entriesInMemory): Keyv {
  return new Keyv({ store: new KeyvMemoryAdapter(new BoundedMap(limit)), namespace });
}

async function sqliteKeyv(path: string, onFallback: (fault: unknown) => void): Promise<Keyv> {
  let keyv: Keyv | undefined;
  try {
    // Missing where only the packages for production were installed: the package and the image contain it.
    const { KeyvSqlite } = await import('./keyv-sqlite.ts');
    makeDirectory(dirname(path));
    // The driver is synchronous: a lock of another process must not hold this one up for long.
    const store = new KeyvSqlite({ uri: path, wal: true, busyTimeout: second / 10, clearExpiredInterval: hour });
    keyv = new Keyv({ store, namespace });
    keyv.on('error', ignore);
    await store.ready;
    // What a power cut takes from a cache can be asked again; it is not worth an fsync.
    await store.query('PRAGMA synchronous = NORMAL');
    return keyv;
  } catch (fault) {
    onFallback(fault);
    await keyv?.disconnect();
    return memoryKeyv();
  }
}

async function redisKeyv(url: string, onFallback: (fault: unknown) => void): Promise<Keyv> {
  const adapter = await import('./keyv-redis.ts').catch(onFallback);
  if (!adapter) return memoryKeyv();
  const store = readable(
    () =>
      new adapter.KeyvRedis(
        { url, disableOfflineQueue: true, socket: { connectTimeout: second } },
        { connectionTimeout: second, throwOnConnectError: false, throwOnErrors: false },
      ),
  );
  const keyv = new Keyv({ store, namespace });
  keyv.on('error', ignore);
  return keyv;
}

/** The driver's own words would name the address, and with it a password. */
function readable<Store>(open: () => Store): Store {
  try {
    return open();
  } catch {
    throw new TallyhookError('cache_url_unknown', 'The address of the cache cannot be read.', {
      hint: 'Write redis://user:password@host:6379, with special characters of the password percent-encoded.',
    });
  }
}

/** Keyv throws what nobody listens to. Whoever uses the cache listens as well, and tells the owner. */
function ignore(): void {}
