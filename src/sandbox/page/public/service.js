import { element, find } from './element.js';
import { ask } from './requests.js';
import { formatRelative, formatTime, sandboxNow } from './time.js';

/** The listing service: voting, and the credits that come of it. */
export function startService(store) {
  const { state } = store;
  const result = find('vote-result');

  function drawVotes() {
    const buttons = state.listings.map(({ kind, name }) =>
      element(
        'button',
        { type: 'button', class: 'button primary vote', 'data-vote': kind, onclick: () => void vote(kind, name) },
        `Vote for ${name}`,
        element('span', { class: 'vote-kind' }, kind === 'server' ? 'the server' : 'a bot'),
      ),
    );
    find('votes').replaceChildren(...buttons);
    const link = find('service-link');
    link.hidden = state.serviceUrl === null;
    if (state.serviceUrl !== null) {
      const attributes = { href: state.serviceUrl, target: '_blank', rel: 'noopener noreferrer' };
      link.replaceChildren(element('a', attributes, 'Visit the service’s own pages'));
    }
  }

  async function vote(kind, name) {
    const { userId } = state;
    result.replaceChildren('Voting…');
    const answer = await ask('/page/votes', { userId, kind });
    result.replaceChildren(...said(answer, name));
    if (answer.outcome === 'recorded') store.tried('vote');
  }

  function drawBalance() {
    const member = state.members.find(({ id }) => id === state.userId);
    const credits = state.credits[state.userId];
    find('balance-of').textContent = member ? `${member.name} has` : '';
    find('balance').textContent =
      typeof credits === 'number'
        ? `${credits.toLocaleString()} ${credits === 1 ? 'credit' : 'credits'}`
        : 'an unknown balance';
  }

  store.subscribe((kind) => {
    if (kind === 'everything') drawVotes();
    if (['everything', 'places', 'credits', 'acting'].includes(kind)) drawBalance();
    if (kind === 'acting') result.replaceChildren();
  });
}

function said(answer, name) {
  if (answer.outcome === 'recorded') return [`The vote for ${name} is recorded; its webhook is on its way.`];
  if (answer.outcome === 'too_soon') return [`Already voted for ${name}. Next vote `, relative(answer.nextVoteAt), '.'];
  return [answer.reason ?? answer.error ?? 'The service did not take the vote.'];
}

function relative(at) {
  const attributes = { 'data-relative': at, title: formatTime(at, 'F'), datetime: new Date(at).toISOString() };
  return element('time', attributes, formatRelative(at, sandboxNow()));
}
