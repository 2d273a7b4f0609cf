import { formatCount } from '../../../platform/durations.ts';
import { element, findById } from './element.ts';
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
    findById('votes').replaceChildren(...state.listings.map(voteButton));
    const link = { href: state.serviceUrl, target: '_blank', rel: 'noopener noreferrer' };
    findById('service-link').hidden = state.serviceUrl === null;
    findById('service-link').replaceChildren(element('a', link, 'Open its website ↗'));
  }

  function voteButton(listing: Listing): HTMLElement {
    const { kind, name } = listing;
    return element(
      'button',
      { type: 'button', class: 'button primary vote', 'data-vote': kind, onclick: () => void vote(listing) },
      element('span', { class: 'vote-kind' }, kind === 'server' ? 'Vote for the server ' : 'Vote for the bot '),
      element('span', { class: 'vote-name' }, name),
    );
  }

  async function vote({ kind, name }: Listing): Promise<void> {
    result.replaceChildren('Voting…');
    const response = await postAction('/page/votes', { userId: state.userId, kind });
    result.replaceChildren(...describeVote(response, name, state));
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
    if (kind === 'acting') result.replaceChildren();
  });
}

function describeVote(
  response: VoteResponse,
  name: string,
  { clock, bot: { name: botName } }: State,
): readonly (Node | string)[] {
  if (response.error !== undefined) return [response.error];
  switch (response.outcome) {
    case 'recorded':
      if (response.isDelivered) return [`Vote for ${name} recorded; the webhook follows.`];
      return [`Vote for ${name} recorded. No webhook is set up for it, so ${botName} does not hear of this vote.`];
    case 'too_soon':
      return [`Already voted for ${name}. Next vote `, relativeTime(response.nextVoteAt, clock.now()), '.'];
    case 'refused':
      return [response.reason];
  }
}
