import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { second } from '@tallyhook/platform/durations';
import { lines, type Markup, markup, repeated, timestamp } from '@tallyhook/platform/texts/markup';
import { html } from '@tallyhook/platform/web/html';
import { announceDays, footerOf } from '../../core/announcements/announcement.ts';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import { type Handle, handle, tryAgain } from '../../core/outbox/perform.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { Panel } from '../../discord/commands/reply.ts';
import { editMessage, type Posted, postOnce } from '../../discord/posting.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community } from '../communities/feature.ts';
import type { ConsoleCard, FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import {
  daysOfPeriod,
  type PartyPanel,
  type PartyReached,
  type PartyReward,
  partyAnnounced,
  partyPanelKind,
  partyPeriodAt,
  partyReachedKind,
  partyRewardKind,
  partyRules,
} from './rules.ts';
import type { PartyStore, ShownParty } from './store.ts';

/** How long one attempt may take, well below the lease of the effect (ms). */
const attemptMs = 5 * second;

interface PartyContext extends Pick<PartsContext, 'rest' | 'channelTexts' | 'clock'> {
  readonly store: { readonly party: PartyStore };
}

/**
 * Pays the reward of a party to all its voters, some of them per transaction. Who is paid is stored, so an attempt
 * continues where the last one ended. Rejects if the database cannot be written.
 */
function createPartyRewardHandler({ store, clock }: PartyContext): Handle<PartyReward> {
  return async ({ content }) => {
    const startedAt = clock.monotonic();
    while (await store.party.pay(content, clock.now())) {
      if (clock.monotonic() - startedAt > attemptMs) {
        return tryAgain('more voters to pay', 0);
      }
    }
    return { outcome: 'done' };
  };
}

export function createPartyReachedHandler(
  context: Pick<PartsContext, 'rest' | 'channelTexts' | 'clock' | 'announcements'>,
): Handle<PartyReached> {
  return announceDays(context, partyAnnounced, async ({ period, goal, credits }, { text }) => {
    const panel = { kind: 'panel', tone: 'good', title: text('party.goalTitle') } as const;
    const reward =
      credits > 0 ? text('party.goalReward', { credits: text('parts.credits', { count: credits }) }) : null;
    const block = { kind: 'text', text: lines(text('party.goal', { count: goal }), reward) } as const;
    return { days: daysOfPeriod(period), reply: { ...panel, blocks: [block] } };
  });
}

export function createServices(context: ServicesContext & Pick<PartyContext, 'store'>) {
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
  return {
    shared: {
      currentParty: ({ listings }: Pick<Community, 'listings'>) => currentParty(store.party, listings, clock.now()),
    },
    cards: [partyCard(current)],
  } satisfies FeatureServices;
}

export function create(context: PartsContext & Pick<PartyContext, 'store'>) {
  const showPanel = createPartyPanelHandler(context);
  return {
    effects: [
      handle(partyRewardKind, createPartyRewardHandler(context)),
      handle(partyPanelKind, async (effect) => {
        const { channelId, period } = effect.content;
        if (context.announcements.announces(partyAnnounced, channelId)) return showPanel(effect);
        // They were switched off meanwhile. The next vote after they are switched on again enqueues an update.
        await context.store.party.rejected(period);
        return { outcome: 'done' };
      }),
      handle(partyReachedKind, createPartyReachedHandler(context)),
    ],
  } satisfies FeatureParts;
}

export interface PartyStatus {
  readonly period: string;
  readonly votes: number;
  readonly goal: number;
  readonly credits: number;
}

/**
 * Counted votes in the current period of the community's party, and its goal; null without a party.
 * @param now ms since the epoch
 */
export async function currentParty(
  parties: Pick<PartyStore, 'progress'>,
  listings: readonly ListingContext[],
  now: number,
): Promise<PartyStatus | null> {
  const listing = listings.find(({ rewards }) => partyRules.in(rewards));
  const period = listing === undefined ? null : partyPeriodAt(listing, now);
  if (period === null) return null;
  const { votes } = await parties.progress(period);
  const { goal = 0, credits = 0 } = (listing && partyRules.in(listing.rewards)) ?? {};
  return { period, votes, goal, credits };
}

/** The progress of the current party, of one guild or (null) of the first that has one. */
export function partyCard(current: (guildId: string | null) => Promise<PartyStatus | null>): ConsoleCard {
  return {
    id: 'party',
    title: ({ text }) => text('party.title'),
    isScoped: true,
    async render({ scope, texts, markup }) {
      const status = await current(scope?.guildId ?? null);
      if (status === null) return null;
      const { text, number } = texts;
      const { period, votes, goal, credits } = status;
      const days = texts.days(...daysOfPeriod(period));
      return html`<p>${days}: ${markup(text('party.progress', { votes: number(votes), goal: number(goal) }))}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="${text('party.title')}"></progress>
<p class="quiet">${markup(votes >= goal ? text('party.goalTitle') : text('party.reward', { credits: text('parts.credits', { count: credits }) }))}</p>`;
    },
  };
}

/** Length of the progress bar (blocks). */
const barLength = 20;

/**
 * Posts or edits the message with the progress of a party. One that was deleted is posted again. Rejects as
 * the store does.
 */
export function createPartyPanelHandler(context: PartyContext): Handle<PartyPanel> {
  const { rest, channelTexts, clock } = context;
  const { party: panels } = context.store;

  async function show(party: ShownParty, effect: Effect<PartyPanel>, channelId: string, now: number): Promise<Posted> {
    const { message } = party;
    const texts = await channelTexts(channelId);
    const { footer, footers } = footerOf(daysOfPeriod(effect.content.period), texts);
    const reply = { ...renderParty(party, now, texts), footer };
    const edited = message?.channelId === channelId ? await editMessage(rest, message, reply) : null;
    return edited ?? postOnce(rest, clock, { channelId, reply, effect, footers });
  }

  return async (effect): Promise<AttemptResult> => {
    const { period } = effect.content;
    const now = clock.now();
    const party = await panels.find(period, now);
    if (party === null) return { outcome: 'done' };
    const channelId = party.channelId ?? effect.content.channelId;
    const shown = await show(party, effect, channelId, now);
    if ('outcome' in shown) {
      // The owner may choose another channel instead, which the next vote takes; this one shows it wherever it is then.
      const isRejected = shown.outcome === 'bury' || (shown.outcome === 'later' && shown.stop !== undefined);
      if (isRejected) await panels.rejected(period);
      return shown;
    }
    const { votes, reachedAt } = party;
    const message = { id: shown.messageId, channelId };
    await panels.updated(period, { message, votes, isFinal: reachedAt !== null }, clock.now());
    return { outcome: 'done' };
  };
}

/** Once the goal is reached, it shows the goal, so that further votes change nothing. */
function renderParty(party: ShownParty, now: number, texts: Texts): Panel {
  const { text, number } = texts;
  const { votes, reachedAt, goal, credits, endsAt } = party;
  const isReached = reachedAt !== null;
  const shownVotes = isReached ? goal : votes;
  const filled = Math.min(barLength, Math.floor((barLength * shownVotes) / goal));
  const bar = markup`${repeated(markup`█`, filled)}${repeated(markup`░`, barLength - filled)}`;
  const progress = text('party.progress', { votes: number(shownVotes), goal: number(goal) });
  const panel = (tone: Panel['tone'], title: Markup, ...details: (Markup | null)[]): Panel => ({
    kind: 'panel',
    tone,
    title,
    blocks: [{ kind: 'text', text: lines(bar, progress, ...details) }],
  });
  if (isReached) return panel('good', text('party.reachedTitle'));
  if (now >= endsAt) return panel('wait', text('party.endedTitle'), text('party.missed'));
  const reward = credits > 0 ? text('party.reward', { credits: text('parts.credits', { count: credits }) }) : null;
  return panel('plain', text('party.title'), reward, text('party.ends', { time: timestamp(endsAt, 'R') }));
}
