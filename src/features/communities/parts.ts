import { listingName, readCard } from '../../core/announcements/listing-card.ts';
import type { GuildDataStore } from '../../core/store/guild-data.ts';
import { fetchGuildName } from '../../discord/inspection.ts';
import { listGuilds } from '../../discord/list-guilds.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { hasDeparture, renderDeparture } from './departure-message.ts';
import { isNoticeWanted } from './departure-notice.ts';
import { createDepartures } from './departures.ts';
import type { DepartureNotice } from './effects.ts';
import type { GuildStore } from './store.ts';

export function create({
  store: { communities: guilds, guildData },
  settings,
  rest,
  cardOf,
  directory,
  nudge,
  clock,
  log,
}: PartsContext & {
  readonly store: { readonly communities: GuildStore; readonly guildData: GuildDataStore };
  readonly settings: {
    /** Whether listings of the guild are the operator's own. */
    readonly isOperators: (guildId: string) => boolean;
    /** Applies what has changed in this process. */
    readonly refresh: () => Promise<void>;
  };
}) {
  const isMember = async (guildId: string) => (await fetchGuildName(rest, guildId)) !== null;
  const departures = createDepartures({
    guilds,
    guildData,
    isMember,
    clock,
    log,
    listGuilds: () => listGuilds(rest),
    isOperators: settings.isOperators,
    listingOf: (guildId) => directory.ofGuild(guildId)?.named[0]?.name ?? null,
    onEnqueued: (queue) => nudge([queue]),
    apply: settings.refresh,
  });
  return {
    directMessages: {
      departure: {
        async render(notice: DepartureNotice, texts: Texts) {
          const card = notice.listing === null ? null : await readCard(cardOf, notice.listing, clock);
          return renderDeparture(notice, listingName(card, notice.guildId), texts);
        },
        isWanted: (notice) => isNoticeWanted(notice, { guilds, isMember, now: clock.now() }),
        isIn: (channelId, notice, since) => hasDeparture(rest, channelId, notice, since),
        reachesStrangers: true,
      },
    },
    loops: [departures],
  } satisfies FeatureParts;
}
