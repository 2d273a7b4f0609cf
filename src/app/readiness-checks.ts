import type { Role } from '../../config/roles.ts';
import { coalesce } from '../http/coalesce.ts';
import type { ReadinessChecks } from '../http/readiness.ts';
import { second } from '../platform/durations.ts';
import type { Store } from '../store/store.ts';
import type { Answering } from './answering.ts';

/** Of each role, by component. Announcing needs Discord only to make progress: it is not ready without the database. */
export function readinessChecks(
  store: Store,
  roles: readonly Role[],
  answering: Answering | null,
): Readonly<Record<Role, ReadinessChecks>> {
  const probeStore = coalesce(store.probe, second);
  const database = {
    store: async () => {
      // Not cached: `doctor` relies on this to know that the database file is the one in use.
      store.checkFiles();
      await probeStore();
    },
  };
  const gateway = {
    discord: async () => {
      if (answering?.isConnected() === false) throw new Error('not connected to the gateway');
    },
  };
  const usesGateway = roles.includes('answer') && answering?.endpoint === null;
  return { receive: database, announce: database, answer: { ...database, ...(usesGateway ? gateway : {}) } };
}
