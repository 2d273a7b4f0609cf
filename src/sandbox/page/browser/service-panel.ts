import { element, findById } from './element.ts';
import { formatRelative, formatTime } from './format-time.ts';
import { postAction } from './requests.ts';
import { sandboxNow } from './sandbox-time.ts';
import type { PageStore, State } from './store.ts';

type Listing = State['listings'][number];
type VoteResponse = Awaited<ReturnType<typeof postAction<'/page/votes'>>>;

/** The listing service: voting, and the credits that come of it. */
export function startServicePanel(store: PageStore): void {
  const { state } = store;
  const result = findById('vote-result');

  function renderVotes(): void {
    findById('votes').replaceChildren(...state.listings.map(voteButton));
    const link = { href: state.serviceUrl, target: '_blank', rel: 'noopener noreferrer' };
    findById('service-link').hidden = state.serviceUrl === null;
    findById('service-link').replaceChildren(element('a', link, 'Its own pages ↗'));
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
    result.replaceChildren(...describeVote(response, name));
  }

  function renderBalance(): void {
    const member = state.members.find(({ id }) => id === state.userId);
    const credits = state.credits[state.userId];
    findById('balance-of').textContent = member ? `${member.name} has` : '';
    findById('balance').textContent =
      typeof credits === 'number'
        ? `${credits.toLocaleString()} ${credits === 1 ? 'credit' : 'credits'}`
        : 'an unknown balance';
  }

  store.subscribe(({ kind }) => {
    if (kind === 'everything') renderVotes();
    if (['everything', 'places', 'credits', 'acting'].includes(kind)) renderBalance();
    if (kind === 'acting') result.replaceChildren();
  });
}

function describeVote(response: VoteResponse, name: string): readonly (Node | string)[] {
  if (response.error !== undefined) return [response.error];
  switch (response.outcome) {
    case 'recorded':
      return [`The vote for ${name} is recorded; its webhook is on its way.`];
    case 'too_soon':
      return [`Already voted for ${name}. Next vote `, relativeTime(response.nextVoteAt), '.'];
    case 'refused':
      return [response.reason];
  }
}

function relativeTime(at: number): HTMLElement {
  const attributes = { 'data-relative': at, title: formatTime(at, 'F'), datetime: new Date(at).toISOString() };
  return element('time', attributes, formatRelative(at, sandboxNow()));
}
