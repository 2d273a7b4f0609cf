import type { EffectHandlers } from '../../core/outbox/perform.ts';
import type { AnnouncementsOfListings } from '../announcements/of-listings.ts';
import type { PartyStore } from './store.ts';

type PartyHandlers = Required<Pick<EffectHandlers, 'partyPanel' | 'partyReached'>>;

/** Drops what was enqueued about parties before they were switched off. */
export function withoutQuietParties(
  { announcesParty }: AnnouncementsOfListings,
  panels: PartyStore,
  { partyPanel, partyReached }: PartyHandlers,
): PartyHandlers {
  return {
    async partyPanel(effect) {
      const { channelId, period } = effect.content;
      if (announcesParty(channelId)) return partyPanel(effect);
      // The next vote after they are switched on again enqueues an update.
      await panels.rejected(period);
      return { outcome: 'done' };
    },
    partyReached: async (effect) =>
      announcesParty(effect.content.channelId) ? partyReached(effect) : { outcome: 'done' },
  };
}
