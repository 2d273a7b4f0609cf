import { formatCount } from '../../../platform/durations.ts';
import { findById, html, nothing, render, type TemplateResult } from './element.ts';
import { relativeTime } from './relative-times.ts';
import { postAction } from './requests.ts';
import type { PageStore, State } from './store.ts';

type Listing = State['listings'][number];
type VoteResponse = Awaited<ReturnType<typeof postAction<'/page/votes'>>>;

/** The panel of the listing service: vote buttons and the acting member's balance. */
export function startServicePanel(store: PageStore): void {
  const { state } = store;
  const result = findById('vote-result');

  function renderVotes(): void {
    render(state.listings.map(voteButton), findById('votes'));
    findById('service-link').hidden = state.serviceUrl === null;
    const link = html`<a href=${state.serviceUrl ?? nothing} target="_blank" rel="noopener noreferrer">Open its website ↗</a>`;
    render(link, findById('service-link'));
  }

  function voteButton(listing: Listing): TemplateResult {
    const { kind, name } = listing;
    const action = kind === 'server' ? 'Vote for the server ' : 'Vote for the bot ';
    return html`<button type="button" class="button primary vote" data-vote=${kind} @click=${() => void vote(listing)}><span class="vote-kind">${action}</span><span class="vote-name">${name}</span></button>`;
  }

  async function vote({ kind, name }: Listing): Promise<void> {
    render('Voting…', result);
    const response = await postAction('/page/votes', { userId: state.userId, kind });
    render(describeVote(response, name, state), result);
  }

  function renderBalance(): void {
    const member = state.members.find(({ id }) => id === state.userId);
    const credits = state.credits[state.userId];
    findById('balance-of').textContent = member ? `${member.name} has` : '';
    findById('balance').textContent =
      typeof credits === 'number' ? formatCount(credits, 'credit') : 'an unknown balance';
  }

  store.subscribe(({ kind }) => {
    if (kind === 'full_state') renderVotes();
    if (['full_state', 'sidebar', 'credits', 'acting'].includes(kind)) renderBalance();
    if (kind === 'acting') render(nothing, result);
  });
}

function describeVote(response: VoteResponse, name: string, { clock, bot }: State): string | TemplateResult {
  if (response.error !== undefined) return response.error;
  switch (response.outcome) {
    case 'recorded':
      if (response.isDelivered) return `Vote for ${name} recorded; the webhook follows.`;
      return `Vote for ${name} recorded. No webhook is set up for it, so ${bot.name} does not hear of this vote.`;
    case 'too_soon':
      return html`Already voted for ${name}. Next vote ${relativeTime(response.nextVoteAt, clock.now())}.`;
    case 'refused':
      return response.reason;
  }
}
