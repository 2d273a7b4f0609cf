import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { PartyStatus } from './current-party.ts';
import { daysOfPeriod } from './rules.ts';

/** The progress of the current party, of one guild or (null) of the first that has one. */
export function partyCard(current: (guildId: string | null) => Promise<PartyStatus | null>): ConsoleCard {
  return {
    id: 'party',
    title: ({ messages }) => messages.party.title,
    isBesideRules: true,
    isScoped: true,
    async render({ scope, texts, markup }) {
      const status = await current(scope?.guildId ?? null);
      if (status === null) return null;
      const { text, number, parts } = texts;
      const { party } = texts.messages;
      const { period, votes, goal, credits } = status;
      const days = texts.days(...daysOfPeriod(period));
      return html`<p>${days}: ${markup(text(party.progress, { votes: number(votes), goal: number(goal) }))}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="${party.title}"></progress>
<p class="quiet">${markup(votes >= goal ? text(party.goalTitle) : text(party.reward, { credits: parts.credits(credits) }))}</p>`;
    },
  };
}
