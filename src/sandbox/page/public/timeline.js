import { element, find } from './element.js';
import { formatTime } from './time.js';

const where = { service: 'Service', bot: 'Bot', discord: 'Discord', sandbox: 'Sandbox' };

/** What happened, newest first: a delivery is one entry that fills up, everything else is a line. */
export function startTimeline(store) {
  const { state } = store;
  const list = find('timeline');
  const spoken = find('timeline-news');
  list.tabIndex = 0;

  function draw() {
    list.replaceChildren(...[...state.timeline.values()].reverse().map(itemOf));
    if (state.timeline.size === 0) list.append(element('li', { class: 'nothing' }, 'Nothing yet. Cast a vote.'));
  }

  function put(item) {
    const known = list.querySelector(`[data-key="${item.key}"]`);
    if (known) known.replaceWith(itemOf(item));
    else {
      list.querySelector('.nothing')?.remove();
      list.prepend(itemOf(item));
    }
    // One sentence for each delivery, when it has come to an end or to a halt.
    const isHalted = item.kind === 'delivery' && item.steps.at(-1).name === 'waiting';
    if (item.isSettled || isHalted) spoken.textContent = `${item.title}: ${stepsIn(item).join(', ')}`;
  }

  store.subscribe((kind, detail) => {
    if (kind === 'everything') draw();
    if (kind === 'timeline') put(detail);
  });
}

function itemOf(item) {
  return item.kind === 'delivery' ? deliveryItem(item) : lineItem(item);
}

function lineItem({ key, at, where: place, tone, text }) {
  return element(
    'li',
    { class: `line ${tone}`, 'data-key': key },
    moment(at),
    element('span', { class: 'where' }, where[place] ?? place),
    element('span', { class: 'line-text' }, text),
  );
}

function deliveryItem({ key, at, title, steps, isSettled }) {
  const last = steps.at(-1);
  return element(
    'li',
    { class: `line delivery ${last.tone}${isSettled ? '' : ' under-way'}`, 'data-key': key },
    moment(at),
    element('span', { class: 'where' }, 'Delivery'),
    element('strong', { class: 'delivery-title' }, title),
    element('ol', { class: 'steps' }, ...steps.map(stepItem)),
  );
}

function stepItem({ name, tone, text, at, afterMs }) {
  return element(
    'li',
    { class: `step ${tone}`, 'data-step': name },
    element('span', { class: 'step-text' }, text),
    element('time', { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') }, duration(afterMs)),
  );
}

function moment(at) {
  return element('time', { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') }, formatTime(at, 'T'));
}

function duration(ms) {
  return ms < 1000 ? `+${ms} ms` : `+${(ms / 1000).toFixed(1)} s`;
}

/** Its steps in words, without the one that goes without saying. */
function stepsIn({ steps }) {
  return steps.filter(({ name }) => name !== 'received').map(({ text }) => text);
}
