import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { partyCard } from './card.ts';
import { currentParty } from './current-party.ts';
import { createPartyPanelHandler } from './panel-message.ts';
import { createPartyReachedHandler } from './reached-message.ts';
import { createPartyRewardHandler } from './reward.ts';
import type { PartyStore } from './store.ts';

export function createServices({
  store: { party },
  directory,
  metrics,
  clock,
}: ServicesContext & { readonly store: { readonly party: PartyStore } }) {
  const current = (guildId: string | null = null) => {
    const listings = guildId === null ? directory.listings : (directory.ofGuild(guildId)?.listings ?? []);
    return currentParty(party, listings, clock.now());
  };
  metrics.gauge({
    name: 'tallyhook_party_votes',
    help: 'Counted votes in the current period of the party, and its goal. Missing without a party.',
    label: 'of',
    async read() {
      const status = await current();
      return status && { counted: status.votes, goal: status.goal };
    },
  });
  return { cards: [partyCard(current)] } satisfies FeatureServices;
}

export function create({
  store: { party },
  rest,
  announcements: { announcesParty },
  channelTexts: textsOf,
  clock,
}: PartsContext & { readonly store: { readonly party: PartyStore } }) {
  const showPanel = createPartyPanelHandler({ rest, panels: party, textsOf, clock });
  const announceReached = createPartyReachedHandler({ rest, textsOf, clock });
  return {
    effects: {
      partyReward: createPartyRewardHandler(party, clock),
      // Drops what was enqueued about parties before they were switched off.
      async partyPanel(effect) {
        const { channelId, period } = effect.content;
        if (announcesParty(channelId)) return showPanel(effect);
        // The next vote after they are switched on again enqueues an update.
        await party.rejected(period);
        return { outcome: 'done' };
      },
      partyReached: async (effect) =>
        announcesParty(effect.content.channelId) ? announceReached(effect) : { outcome: 'done' },
    },
  } satisfies FeatureParts;
}
