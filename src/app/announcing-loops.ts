import type { Config } from '../../config/schema.ts';
import { homeAccounts } from '../core/ledger/account-id.ts';
import { fetchGuildName } from '../discord/inspection.ts';
import { listGuilds } from '../discord/list-guilds.ts';
import type { DiscordRest } from '../discord/rest.ts';
import { createConfiguredAnnouncementLoop } from '../features/announcements/create-loop.ts';
import { createDepartures } from '../features/communities/departures.ts';
import type { Directory } from '../features/communities/directory.ts';
import type { VotesBetween } from '../features/digests/votes-between.ts';
import type { LookupClients } from '../features/listings/lookup-clients.ts';
import type { CommunitySettingsSync } from '../features/setup/community-settings.ts';
import type { Store } from '../features/store.ts';
import { createUpkeep } from '../features/upkeep/upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { Log } from '../platform/log.ts';
import type { Loop } from '../platform/loop.ts';
import { separateAccounts } from './prepare-accounts.ts';

/** What fills the outbox by time, and looks after the database. */
export function createAnnouncingLoops(
  config: Pick<Config, 'keep' | 'reminders' | 'listings'>,
  options: {
    readonly store: Store;
    /** The guild of the home community. */
    readonly home: string | null;
    readonly rest: DiscordRest;
    readonly directory: Directory;
    readonly lookups: LookupClients;
    readonly votesBetween: VotesBetween;
    readonly sync: Pick<CommunitySettingsSync, 'base' | 'refresh'>;
    readonly reminderLoop: Loop;
    /** Polls these queues of the outbox, in every process. */
    readonly nudge: (queues: readonly string[]) => void;
    readonly handlesReviews: () => boolean;
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly log: Log;
  },
): readonly Loop[] {
  const { store, rest, directory, lookups, sync, reminderLoop, nudge, metrics, clock, log } = options;
  const { rewards, memberData, counting, pruning, guilds } = store;
  const upkeep = createUpkeep({
    ...{ rewards, memberData, counting, pruning, keep: config.keep, clock, log },
    firstListing: () => directory.listings.find(({ community }) => community.accounts === homeAccounts),
    separateAccounts: () => separateAccounts(store, { listings: config.listings, home: options.home }, { clock, log }),
    onPruned: (what, rows) => metrics.prunedRows.inc({ what }, rows),
  });
  const announcementLoop = createConfiguredAnnouncementLoop(directory, {
    ...{ store, votesBetween: options.votesBetween, lookups, metrics, clock, log },
    onEnqueued: (queue) => nudge([queue]),
    handlesReviews: options.handlesReviews,
  });
  const departures = createDepartures({
    listGuilds: () => listGuilds(rest),
    isMember: async (guildId) => (await fetchGuildName(rest, guildId)) !== null,
    isOperators: (guildId) => sync.base.sources.some((source) => source.guildId === guildId),
    listingOf: (guildId) => directory.ofGuild(guildId)?.named[0]?.name ?? null,
    onEnqueued: (queue) => nudge([queue]),
    apply: sync.refresh,
    ...{ guilds, clock, log },
  });
  return [upkeep, announcementLoop, departures, ...(config.reminders ? [reminderLoop] : [])];
}
