import { html } from '@tallyhook/platform/web/html';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { ConsoleCard } from '../parts.ts';
import { daysOfPeriod, partyPeriodAt, partyRules } from './rules.ts';
import type { PartyStore } from './store.ts';

/** The party of the current period. */
export interface PartyStatus {
  readonly period: string;
  /** Counted votes. */
  readonly votes: number;
  readonly goal: number;
  /** For each voter. */
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
    isBesideRules: true,
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
