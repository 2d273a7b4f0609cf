import { element, find } from './element.js';
import { ask } from './requests.js';
import { formatRelative, formatTime } from './time.js';

const where = { service: 'Service', bot: 'Bot', discord: 'Discord' };

/** The listing service: voting, the credits that come of it, and what happened on the way. */
export function startService(store) {
  const { state } = store;
  const result = find('vote-result');
  const list = find('timeline');
  list.tabIndex = 0;

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

  function drawTimeline() {
    list.replaceChildren(...state.timeline.toReversed().map(timelineItem));
    if (state.timeline.length === 0) list.append(element('li', { class: 'nothing' }, 'Nothing yet. Cast a vote.'));
  }

  store.subscribe((kind, detail) => {
    if (kind === 'everything') drawVotes();
    if (['everything', 'places', 'credits', 'acting'].includes(kind)) drawBalance();
    if (kind === 'everything') drawTimeline();
    if (kind === 'acting') result.replaceChildren();
    if (kind === 'timeline') {
      list.querySelector('.nothing')?.remove();
      list.prepend(timelineItem(detail));
    }
  });
}

function said(answer, name) {
  if (answer.outcome === 'recorded') return [`The vote for ${name} is recorded; its webhook is on its way.`];
  if (answer.outcome === 'too_soon') return [`Already voted for ${name}. Next vote `, relative(answer.nextVoteAt), '.'];
  return [answer.reason ?? answer.error ?? 'The service did not take the vote.'];
}

function relative(at) {
  const attributes = { 'data-relative': at, title: formatTime(at, 'F'), datetime: new Date(at).toISOString() };
  return element('time', attributes, formatRelative(at, Date.now()));
}

function timelineItem({ at, where: place, tone, text }) {
  return element(
    'li',
    { class: `line ${tone}` },
    element('time', { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') }, formatTime(at, 'T')),
    element('span', { class: 'where' }, where[place] ?? place),
    element('span', { class: 'line-text' }, text),
  );
}
