import { formatCount, second } from '@tallyhook/platform/durations';
import { coalesce } from '@tallyhook/platform/http/coalesce';
import type { ReadinessChecks } from '@tallyhook/platform/http/readiness';
import type { Role } from '../../config/settings.ts';
import type { RequestGuard } from '../discord/circuits.ts';
import type { SettingsInEffect } from '../features/settings/in-effect.ts';
import type { Store } from '../features/store.ts';
import type { Answering } from './answering.ts';
import type { DiscordAccess } from './discord-access.ts';

/** The checks of a process, by component. */
export interface ProcessChecks {
  /** Announcing needs Discord only to make progress: it is not ready without the database. */
  readonly roles: Readonly<Record<Role, ReadinessChecks>>;
  /** All checks of its roles, and the one for parts of the listings: see {@link readinessChecks}. */
  readonly process: ReadinessChecks;
}

/** Missing keys of some listings must not make a load balancer remove receivers: only `settings` says so. */
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
    readonly access: Pick<DiscordAccess, 'guard'> | null;
    /** Null if no settings are stored. */
    readonly sync: Pick<SettingsInEffect, 'listingsWithoutKey'> | null;
  },
): ProcessChecks {
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
  const gateway = {
    discord: async () => {
      if (answering?.isConnected() === false) throw new Error('not connected to the gateway');
    },
  };
  const requests = {
    requests: async () => {
      if (access === null) return;
      if (access.guard.pauseMs() > 0) {
        throw new Error('Discord rejected too many requests; only interactions are answered until there are fewer');
      }
      return describeStops(access.guard);
    },
  };
  const usesGateway = roles.includes('answer') && answering?.endpoint === null;
  const ofRoles = {
    receive: database,
    announce: { ...database, ...requests },
    answer: { ...database, ...(usesGateway ? gateway : {}) },
  };
  const ofSettings = sync !== null && roles.includes('receive') ? settings : {};
  return { roles: ofRoles, process: Object.assign({}, ...roles.map((role) => ofRoles[role]), ofSettings) };
}

/** Names the requests that wait because Discord rejects them; undefined without any. */
function describeStops(guard: Pick<RequestGuard, 'count' | 'pausedGuilds'>): string | undefined {
  const { channels, roles } = guard.count();
  const stopped = [...counted(channels, 'channel'), ...counted(roles, 'role')].join(' and ');
  const notes = [
    ...(stopped === '' ? [] : [`Discord rejects ${stopped}, for which effects wait; doctor names them`]),
    ...counted(guard.pausedGuilds.size, 'server').map((servers) => `${servers} paused for too many rejected requests`),
  ];
  return notes.length === 0 ? undefined : notes.join('; ');
}

function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [formatCount(count, noun)];
}
