import { formatCount } from '../../platform/durations.ts';
import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PartyStatus } from './current-party.ts';

/** The progress of the current party. */
export function partyCard(current: () => Promise<PartyStatus | null>): ConsoleCard {
  return {
    id: 'party',
    title: 'Vote party',
    isBesideRules: true,
    async render() {
      const party = await current();
      if (party === null) return null;
      const { period, votes, goal, credits } = party;
      const reached = votes >= goal ? 'The goal is reached.' : `${formatCount(goal - votes, 'vote')} to go.`;
      return html`<p>${period}: <strong>${votes.toLocaleString('en')}</strong> of ${formatCount(goal, 'vote')}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="Votes of the party"></progress>
<p class="quiet">${reached} Each voter earns ${formatCount(credits, 'credit')}.</p>`;
    },
  };
}
