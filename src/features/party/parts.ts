import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { lines } from '@tallyhook/platform/texts/markup';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import type { ChannelTexts } from '../../discord/languages.ts';
import { postOnce } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { currentParty, partyCard } from './card.ts';
import { type PartyReached, type PartyReward, partyPanelKind, partyReachedKind, partyRewardKind } from './effects.ts';
import { createPartyPanelHandler } from './panel-message.ts';
import { daysOfPeriod, partyAnnounced } from './rules.ts';
import type { PartyStore } from './store.ts';

/** How long one attempt may take, well below the lease of the effect (ms). */
const attemptMs = 5 * second;

/**
 * Pays the reward of a party to all its voters, some of them per transaction. Who is paid is stored, so an attempt
 * continues where the last one ended. Rejects if the database cannot be written.
 */
function createPartyRewardHandler(parties: Pick<PartyStore, 'pay'>, clock: Clock): Handle<PartyReward> {
  return async ({ content }) => {
    const startedAt = clock.monotonic();
    while (await parties.pay(content, clock.now())) {
      if (clock.monotonic() - startedAt > attemptMs) {
        return { outcome: 'later', reason: 'more voters to pay', scope: 'effects', retryAfterMs: 0, notSent: true };
      }
    }
    return { outcome: 'done' };
  };
}

export function createPartyReachedHandler(options: {
  rest: DiscordRest;
  textsOf: ChannelTexts;
  clock: Clock;
}): Handle<PartyReached> {
  const { rest, textsOf, clock } = options;
  return async (effect) => {
    const { channelId, period, goal, credits } = effect.content;
    const { text, days, languages } = await textsOf(channelId);
    const shown = daysOfPeriod(period);
    const panel = { kind: 'panel', tone: 'good', title: text('party.goalTitle') } as const;
    const reward =
      credits > 0 ? text('party.goalReward', { credits: text('parts.credits', { count: credits }) }) : null;
    const block = { kind: 'text', text: lines(text('party.goal', { count: goal }), reward) } as const;
    const reply = { ...panel, blocks: [block], at: effect.createdAt, footer: days(...shown) };
    const footers = languages.all().map((each) => each.days(...shown));
    const posted = await postOnce(rest, clock, { channelId, reply, effect, footers });
    return 'outcome' in posted ? posted : { outcome: 'done' };
  };
}

export function createServices(context: ServicesContext & { readonly store: { readonly party: PartyStore } }) {
  const { store, directory, metrics, clock } = context;
  const current = (guildId: string | null = null) => {
    const listings = guildId === null ? directory.listings : (directory.ofGuild(guildId)?.listings ?? []);
    return currentParty(store.party, listings, clock.now());
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

export function create(context: PartsContext & { readonly store: { readonly party: PartyStore } }) {
  const { rest, channelTexts: textsOf, clock } = context;
  const { party } = context.store;
  const isAnnounced = (channelId: string) => context.announcements.announces(partyAnnounced, channelId);
  const showPanel = createPartyPanelHandler({ rest, panels: party, textsOf, clock });
  const announceReached = createPartyReachedHandler({ rest, textsOf, clock });
  return {
    effects: [
      handle(partyRewardKind, createPartyRewardHandler(party, clock)),
      // Drops what was enqueued about parties before they were switched off.
      handle(partyPanelKind, async (effect) => {
        const { channelId, period } = effect.content;
        if (isAnnounced(channelId)) return showPanel(effect);
        // The next vote after they are switched on again enqueues an update.
        await party.rejected(period);
        return { outcome: 'done' };
      }),
      handle(partyReachedKind, async (effect) =>
        isAnnounced(effect.content.channelId) ? announceReached(effect) : { outcome: 'done' },
      ),
    ],
  } satisfies FeatureParts;
}
