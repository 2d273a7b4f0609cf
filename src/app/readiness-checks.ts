import type { Role } from '../../config/roles.ts';
import { coalesce } from '../http/coalesce.ts';
import type { ReadinessChecks } from '../http/readiness.ts';
import { formatCount, second } from '../platform/durations.ts';
import type { Store } from '../store/store.ts';
import type { Answering } from './answering.ts';
import type { CommunitySettingsSync } from './settings/community-settings.ts';

/** Of each role, by component. Announcing needs Discord only to make progress: it is not ready without the database. */
export function readinessChecks(
  store: Store,
  roles: readonly Role[],
  {
    answering,
    sync,
  }: { readonly answering: Answering | null; readonly sync: Pick<CommunitySettingsSync, 'listingsWithoutKey'> },
): Readonly<Record<Role, ReadinessChecks>> {
  const probeStore = coalesce(store.probe, second);
  const database = {
    store: async () => {
      // Not cached: `doctor` relies on this to know that the database file is the one in use.
      store.checkFiles();
      await probeStore();
    },
  };
  const receive = {
    ...database,
    settings: async () => {
      // Their deliveries get 503 here, and may be accepted by another process. A damaged secret is missing everywhere.
      const count = sync.listingsWithoutKey;
      if (count > 0) throw new Error(`the key of the webhook secrets of ${formatCount(count, 'listing')} is missing`);
    },
  };
  const gateway = {
    discord: async () => {
      if (answering?.isConnected() === false) throw new Error('not connected to the gateway');
    },
  };
  const usesGateway = roles.includes('answer') && answering?.endpoint === null;
  return { receive, announce: database, answer: { ...database, ...(usesGateway ? gateway : {}) } };
}
