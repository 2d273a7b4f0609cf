import type { Step, TimelineDelivery, TimelineLine } from '../ports.ts';
import { element, find } from './element.ts';
import { formatTime } from './moments.ts';
import { passed, stepWord } from './steps.ts';
import type { PageStore, State } from './store.ts';

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

/** What happened, newest first: a delivery is one entry that fills up and can be unfolded, everything else is a line. */
export function startTimeline(store: PageStore): void {
  const { state } = store;
  const list = find('timeline');
  const spoken = find('timeline-news');
  // Not every browser lets the keyboard scroll what cannot have the focus.
  list.tabIndex = 0;

  function draw(): void {
    list.replaceChildren(...[...state.timeline.values()].reverse().map(itemOf));
    if (state.timeline.size === 0) list.append(element('li', { class: 'nothing' }, 'Nothing yet. Cast a vote.'));
  }

  function put(item: Item): void {
    const known = list.querySelector<HTMLElement>(`[data-key="${item.key}"]`);
    list.querySelector('.nothing')?.remove();
    if (known === null) list.prepend(itemOf(item));
    else replace(known, itemOf(item));
    // One sentence for each delivery, not one for each step.
    if (item.kind === 'delivery' && isHalted(item)) spoken.textContent = `${item.title}: ${inWords(item)}`;
  }

  store.subscribe((changed) => {
    if (changed.kind === 'everything') draw();
    if (changed.kind === 'timeline') put(changed.item);
  });
}

/** One that is unfolded stays so, and keeps the focus. */
function replace(known: HTMLElement, made: HTMLElement): void {
  const isFocused = known.contains(document.activeElement);
  const [before, now] = [known, made].map((item) => item.querySelector('details'));
  if (before && now) now.open = before.open;
  known.replaceWith(made);
  if (isFocused) made.querySelector('summary')?.focus();
}

function itemOf(item: Item): HTMLElement {
  return item.kind === 'delivery' ? deliveryItem(item) : lineItem(item);
}

function lineItem({ key, at, tone, text }: TimelineLine & { key: string }): HTMLElement {
  const words = element('span', { class: 'line-text' }, text);
  return element('li', { class: `line ${tone}`, 'data-key': key }, words, moment(at));
}

function deliveryItem(item: TimelineDelivery & { key: string }): HTMLElement {
  const { key, at, title, steps } = item;
  const last = steps.at(-1);
  const tone = last?.tone ?? 'plain';
  const isTold = last !== undefined && (tone === 'bad' || last.name === 'duplicate');
  return element(
    'li',
    { class: `delivery ${tone}`, 'data-key': key },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('span', { class: 'delivery-head' }, element('strong', {}, title), moment(at)),
        element('span', { class: 'track' }, ...latest(steps).map(trackStep), isHalted(item) ? null : stillToCome()),
        isTold ? element('span', { class: 'delivery-note' }, last.text) : null,
      ),
      element('ol', { class: 'steps' }, ...steps.map(stepItem)),
    ),
  );
}

/** At a glance: a word and how long it took. */
function trackStep(step: Step): HTMLElement {
  return element(
    'span',
    { class: `track-step ${step.tone}`, 'data-step': step.name },
    element('span', { class: 'track-word' }, stepWord(step)),
    ' ',
    element('span', { class: 'track-after' }, passed(step.afterMs)),
    ' ',
  );
}

function stillToCome(): HTMLElement {
  return element('span', { class: 'track-step to-come' }, element('span', { class: 'track-word' }, '…'));
}

function stepItem({ tone, text, at, afterMs }: Step): HTMLElement {
  const time = { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') };
  return element(
    'li',
    { class: `step ${tone}` },
    element('span', { class: 'step-text' }, text),
    element('time', time, `${formatTime(at, 'T')}, +${passed(afterMs)}`),
  );
}

function moment(at: number): HTMLElement {
  return element('time', { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') }, formatTime(at, 'T'));
}

/** Of several attempts to announce it only the last is worth a place. */
function latest(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step, index) => step.name !== 'waiting' || index === steps.length - 1);
}

/** It has come to an end, or to a halt. */
function isHalted({ isSettled, steps }: TimelineDelivery): boolean {
  return isSettled || steps.at(-1)?.name === 'waiting';
}

/** Its steps in words, without the one that goes without saying. */
function inWords({ steps }: TimelineDelivery): string {
  const told = steps.filter(({ name }) => name !== 'received');
  return told.map(({ text }) => text).join(', ');
}
