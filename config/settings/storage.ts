import { expectedDuration } from '@tallyhook/platform/duration-text';
import { databaseUrlForm, pasted } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { duration } from '../../src/core/settings/value-schemas.ts';
import { digits, group, setting } from './setting.ts';

const perHour = digits(1, 1_000_000_000);
const expectedPerHour = 'a whole number from 1 to 1000000000';

/** A duration in ms; null for `forever`. */
const retention = z.union([z.literal('forever').transform(() => null), duration]);
const expectedRetention = `forever, or ${expectedDuration}`;

export const storage = group('Storage and limits', {
  KEEP_BODIES: setting({
    schema: retention,
    expected: expectedRetention,
    default: 'forever',
    wish: 'a smaller database',
    description:
      'How long the bodies of deliveries are stored, except of quarantined ones: a duration such as `90d`, or `forever`. See [growth](growth.md).',
  }),
  KEEP_EFFECTS: setting({
    schema: retention,
    expected: expectedRetention,
    default: 'forever',
    wish: 'an even smaller one',
    description: 'The same for effects that are done. Waiting and buried ones are never deleted.',
  }),
  LINKED_DELIVERIES_PER_HOUR: setting({
    schema: perHour,
    expected: expectedPerHour,
    default: '20000',
    wish: 'to limit what other owners send',
    description:
      'How many deliveries each listing that was [linked in Discord](operations.md#listings-of-other-owners) may send in an hour to one process; further ones get 503 with `Retry-After`. Your own listings have no quota.',
  }),
  LINKED_MIB_PER_HOUR: setting({
    schema: perHour,
    expected: expectedPerHour,
    default: '20',
    wish: 'the same in MiB',
    description: 'The same for the bodies of these deliveries together, in MiB.',
  }),
  DATABASE_URL: setting({
    schema: pasted(databaseUrlForm(['postgres', 'postgresql'])).refine((url) => url !== 'memory:'),
    expected: 'sqlite: followed by a path (sqlite:data/tallyhook.db), or postgres://user:password@host/database',
    default: 'sqlite:data/tallyhook.db',
    secret: true,
    isAddress: true,
    wish: 'PostgreSQL, or the file elsewhere',
    description:
      '`sqlite:` and a path (with Docker below `/data/`), or `postgres://user:password@host/database`, also through PgBouncer in transaction mode. Special characters of the password are percent-encoded. `sslmode=require` verifies the certificate, as `verify-full` does; with a certificate of your own add `sslrootcert=PATH`, and `sslmode=no-verify` encrypts without verifying.',
  }),
  CACHE_URL: setting({
    schema: pasted(databaseUrlForm(['redis', 'rediss'])),
    expected: 'sqlite: followed by a path, redis://host:6379, or memory:',
    default: 'sqlite:data/cache.db',
    secret: true,
    isAddress: true,
    wish: 'several processes with one cache',
    description:
      '`sqlite:` and a path, `redis://host:6379`, or `memory:`. Several processes also notify each other of announcements through Redis.',
  }),
});
