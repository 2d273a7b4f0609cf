import type { LeaseStore } from '../src/leases/lease-store.ts';

type Wrap = <Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

/** A lease store whose calls all go through `wrap`, to delay them or to make them fail. */
export function wrappedLeases(leases: LeaseStore, wrap: Wrap): LeaseStore {
  return {
    join: wrap(leases.join),
    renew: wrap(leases.renew),
    take: wrap(leases.take),
    release: wrap(leases.release),
    remove: wrap(leases.remove),
    resize: wrap(leases.resize),
  };
}
