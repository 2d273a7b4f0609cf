import { daysOfPeriod } from '../../core/rewards/party.ts';
import { partyOf } from '../../core/tally/party.ts';
import { formatCount } from '../../platform/durations.ts';
import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PartyStatus } from './current-party.ts';

/** The progress of the current party, of one guild or (null) of the first that has one. */
export function partyCard(current: (guildId: string | null) => Promise<PartyStatus | null>): ConsoleCard {
  return {
    id: 'party',
    title: 'Vote party',
    isBesideRules: true,
    isScoped: true,
    async render({ scope, texts }) {
      const party = await current(scope?.guildId ?? null);
      if (party === null) return null;
      const { period, votes, goal, credits } = party;
      const reached = votes >= goal ? 'The goal is reached.' : `${formatCount(goal - votes, 'vote')} to go.`;
      const days = texts.days(...daysOfPeriod(partyOf(period).period));
      return html`<p><span lang="${texts.locale}">${days}</span>: <strong>${votes.toLocaleString('en')}</strong> of ${formatCount(goal, 'vote')}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="Votes of the party"></progress>
<p class="quiet">${reached} Each voter earns ${formatCount(credits, 'credit')}.</p>`;
    },
  };
}
