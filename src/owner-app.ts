import type { RequestHandler } from 'express';
import type { Config } from '../config/schema.ts';
import type { Clock } from './clock.ts';
import { askParts, type Part } from './http/health.ts';
import type { Log } from './log.ts';
import { requestLimit } from './lookup/budget.ts';
import type { Standing } from './lookup/lookup.ts';
import { createOwner } from './owner/owner.ts';
import type { Store } from './store/store.ts';
import { identify } from './webhook/identify.ts';
import type { Replay } from './webhook/replay.ts';

/** What of the whole the owner's API and console work with. */
export interface OwnersShare {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The parts that the whole needs, by name. */
  readonly vital: Readonly<Record<string, Part>>;
  /** How it stands with the key of each listing, by name. */
  readonly keys: () => Promise<ReadonlyMap<string, Standing>>;
  readonly replay: Replay;
  /** An effect waits: look at once. */
  readonly nudge: () => void;
}

/** The owner's API and console, put together; null where no `OWNER_TOKEN` is set. */
export function createOwnerApp({ listings, ownerToken }: Config, share: OwnersShare): RequestHandler | null {
  if (ownerToken === null) return null;
  const { store, clock, log, vital, keys, replay, nudge } = share;
  const { records, acts, ledger } = store;

  return createOwner(ownerToken, {
    ...{ records, acts, ledger, identify, replay, nudge, clock, log },
    cooldowns: new Map(listings.map(({ name, terms }) => [name, terms.cooldown])),
    health: () => askParts(vital),
    budgets: async () =>
      [...(await keys())].map(([listing, { keyRefused, wrongShape, budgetLeft: left }]) => {
        return { listing, left, limit: requestLimit, keyRefused, wrongShape };
      }),
  });
}
