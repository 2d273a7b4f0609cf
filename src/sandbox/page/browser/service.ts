import { element, find } from './element.ts';
import { formatRelative, formatTime } from './moments.ts';
import { ask } from './requests.ts';
import { sandboxNow } from './sandbox-time.ts';
import type { PageStore, State } from './store.ts';

type Listing = State['listings'][number];
type Answer = Awaited<ReturnType<typeof ask<'/page/votes'>>>;

/** The listing service: voting, and the credits that come of it. */
export function startService(store: PageStore): void {
  const { state } = store;
  const result = find('vote-result');

  function drawVotes(): void {
    find('votes').replaceChildren(...state.listings.map(voteButton));
    const link = { href: state.serviceUrl, target: '_blank', rel: 'noopener noreferrer' };
    find('service-link').hidden = state.serviceUrl === null;
    find('service-link').replaceChildren(element('a', link, 'Its own pages ↗'));
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
    const answer = await ask('/page/votes', { userId: state.userId, kind });
    result.replaceChildren(...said(answer, name));
  }

  function drawBalance(): void {
    const member = state.members.find(({ id }) => id === state.userId);
    const credits = state.credits[state.userId];
    find('balance-of').textContent = member ? `${member.name} has` : '';
    find('balance').textContent =
      typeof credits === 'number'
        ? `${credits.toLocaleString()} ${credits === 1 ? 'credit' : 'credits'}`
        : 'an unknown balance';
  }

  store.subscribe(({ kind }) => {
    if (kind === 'everything') drawVotes();
    if (['everything', 'places', 'credits', 'acting'].includes(kind)) drawBalance();
    if (kind === 'acting') result.replaceChildren();
  });
}

function said(answer: Answer, name: string): readonly (Node | string)[] {
  if (answer.error !== undefined) return [answer.error];
  switch (answer.outcome) {
    case 'recorded':
      return [`The vote for ${name} is recorded; its webhook is on its way.`];
    case 'too_soon':
      return [`Already voted for ${name}. Next vote `, relative(answer.nextVoteAt), '.'];
    case 'refused':
      return [answer.reason];
  }
}

function relative(at: number): HTMLElement {
  const attributes = { 'data-relative': at, title: formatTime(at, 'F'), datetime: new Date(at).toISOString() };
  return element('time', attributes, formatRelative(at, sandboxNow()));
}
