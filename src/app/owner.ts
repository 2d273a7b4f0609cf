import type { RequestHandler } from 'express';
import type { Config } from '../../config/schema.ts';
import { type ReadinessCheck, runReadinessChecks } from '../http/health.ts';
import { maxRequestsPerMinute } from '../lookup/budget.ts';
import type { KeyStatus } from '../lookup/lookup.ts';
import { createOwner } from '../owner/owner.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import type { Replay } from '../webhook/replay.ts';
import { eventKeysOf } from '../webhook/replay.ts';

/** What of the whole the owner's API and console work with. */
export interface OwnerAppDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The parts that the whole needs, by name. */
  readonly readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  /** How it stands with the key of each listing, by name. */
  readonly keys: () => Promise<ReadonlyMap<string, KeyStatus>>;
  readonly replay: Replay;
  /** An effect waits: look at once. */
  readonly nudge: () => void;
}

/** The owner's API and console, put together; null where no `OWNER_TOKEN` is set. */
export function createOwnerApp({ listings, ownerToken }: Config, share: OwnerAppDependencies): RequestHandler | null {
  if (ownerToken === null) return null;
  const { store, clock, log, readinessChecks: vital, keys, replay, nudge } = share;
  const { records, ownerActions: acts, sessions, ledger } = store;

  return createOwner(ownerToken, {
    ...{ records, actions: acts, sessions, ledger, eventKeysOf, replay, nudge, clock, log },
    cooldowns: new Map(listings.map(({ name, rules }) => [name, rules.cooldownMs])),
    health: () => runReadinessChecks(vital),
    budgets: async () =>
      [...(await keys())].map(([listing, { keyRefused, wrongShape, budgetLeft: left }]) => {
        return { listing, left, limit: maxRequestsPerMinute, keyRefused, wrongShape };
      }),
  });
}
