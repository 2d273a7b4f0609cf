import type { Role } from '../../config/roles.ts';
import type { RequestGuard } from '../discord/circuits/request-guard.ts';
import { coalesce } from '../http/coalesce.ts';
import type { ReadinessChecks } from '../http/readiness.ts';
import { formatCount, second } from '../platform/durations.ts';
import type { Store } from '../store/store.ts';
import type { Answering } from './answering.ts';
import type { DiscordAccess } from './discord-access.ts';
import type { CommunitySettingsSync } from './settings/community-settings.ts';

/** Of each role, by component. Announcing needs Discord only to make progress: it is not ready without the database. */
export function readinessChecks(
  store: Store,
  roles: readonly Role[],
  {
    answering,
    access,
    sync,
  }: {
    readonly answering: Answering | null;
    /** Null if no role uses Discord. */
    readonly access: Pick<DiscordAccess, 'invalidRequests' | 'guard'> | null;
    /** Null if no settings are stored. */
    readonly sync: Pick<CommunitySettingsSync, 'listingsWithoutKey'> | null;
  },
): Readonly<Record<Role, ReadinessChecks>> {
  const probeStore = coalesce(store.probe, second);
  const database = {
    store: async () => {
      // Not cached: `doctor` relies on this to know that the database file is the one in use.
      store.checkFiles();
      await probeStore();
    },
  };
  const settings = {
    settings: async () => {
      // Their deliveries get 503 here, and may be accepted by another process. A damaged secret is missing everywhere.
      const count = sync?.listingsWithoutKey ?? 0;
      if (count > 0) throw new Error(`the key of the webhook secrets of ${formatCount(count, 'listing')} is missing`);
    },
  };
  const receive = { ...database, ...(sync === null ? {} : settings) };
  const gateway = {
    discord: async () => {
      if (answering?.isConnected() === false) throw new Error('not connected to the gateway');
    },
  };
  const requests = {
    requests: async () => {
      if (access === null) return;
      if (access.invalidRequests.pauseMs() > 0) {
        throw new Error('Discord rejected too many requests; only interactions are answered until there are fewer');
      }
      return describeStops(access.guard);
    },
  };
  const usesGateway = roles.includes('answer') && answering?.endpoint === null;
  return { receive, announce: { ...database, ...requests }, answer: { ...database, ...(usesGateway ? gateway : {}) } };
}

/** What waits because Discord rejects it; undefined if that is nothing. */
function describeStops({ count, pausedGuilds }: Pick<RequestGuard, 'count' | 'pausedGuilds'>): string | undefined {
  const { channels, roles } = count();
  const stopped = [...counted(channels, 'channel'), ...counted(roles, 'role')].join(' and ');
  const notes = [
    ...(stopped === '' ? [] : [`Discord rejects ${stopped}, for which effects wait; doctor names them`]),
    ...counted(pausedGuilds.size, 'server').map((servers) => `${servers} paused for too many rejected requests`),
  ];
  return notes.length === 0 ? undefined : notes.join('; ');
}

function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [formatCount(count, noun)];
}
