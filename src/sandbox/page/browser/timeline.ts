import { formatElapsed } from '../../../platform/durations.ts';
import type { Step, StepName, TimelineDelivery, TimelineLine } from '../ports.ts';
import { element, findById } from './element.ts';
import { formatTime } from './format-time.ts';
import type { PageStore, State } from './store.ts';

const stepLabels: Readonly<Record<Exclude<StepName, 'credited'>, string>> = {
  received: 'Received',
  verified: 'Verified',
  refused: 'Rejected',
  recorded: 'Recorded',
  duplicate: 'Duplicate',
  test: 'Test',
  quarantined: 'Quarantined',
  waiting: 'Waiting',
  announced: 'Announced',
  unannounced: 'Not announced',
  buried: 'Buried',
};

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

/** The timeline, newest first: deliveries as expandable entries that are updated, other events as lines. */
export function startTimeline(store: PageStore): void {
  const { state } = store;
  const list = findById('timeline');
  const announcer = findById('timeline-news');
  // Some browsers scroll with the keyboard only if the element is focusable.
  list.tabIndex = 0;

  function render(): void {
    list.replaceChildren(...[...state.timeline.values()].reverse().map(itemElement));
    if (state.timeline.size === 0) list.append(element('li', { class: 'nothing' }, 'No events yet. Cast a vote.'));
    separateDays(list);
  }

  function update(item: Item): void {
    const existing = list.querySelector<HTMLElement>(`[data-key="${item.key}"]`);
    list.querySelector('.nothing')?.remove();
    if (existing === null) list.prepend(itemElement(item));
    else replace(existing, itemElement(item));
    separateDays(list);
    // One announcement per delivery, not per step.
    if (item.kind === 'delivery' && isHalted(item)) announcer.textContent = `${item.title}: ${describeSteps(item)}`;
  }

  store.subscribe((change) => {
    if (change.kind === 'full_state') render();
    if (change.kind === 'timeline') update(change.item);
  });
}

/** Inserts a date above the entries of each day, unless all are of one day. */
function separateDays(list: HTMLElement): void {
  for (const separator of list.querySelectorAll('.day')) separator.remove();
  const entries = [...list.querySelectorAll<HTMLElement>('[data-key]')].map((entry) => {
    const at = Date.parse(entry.querySelector('time')?.dateTime ?? '');
    return { entry, day: formatTime(at, 'D') };
  });
  if (new Set(entries.map(({ day }) => day)).size < 2) return;
  for (const [index, { entry, day }] of entries.entries()) {
    if (entries[index - 1]?.day !== day) entry.before(element('li', { class: 'day' }, day));
  }
}

/** Replaces an entry; keeps it expanded and focused. */
function replace(existing: HTMLElement, replacement: HTMLElement): void {
  const isFocused = existing.contains(document.activeElement);
  const [before, now] = [existing, replacement].map((item) => item.querySelector('details'));
  if (before && now) now.open = before.open;
  existing.replaceWith(replacement);
  if (isFocused) replacement.querySelector('summary')?.focus();
}

function itemElement(item: Item): HTMLElement {
  return item.kind === 'delivery' ? deliveryItem(item) : lineItem(item);
}

function lineItem({ key, at, tone, text }: TimelineLine & { key: string }): HTMLElement {
  const textElement = element('span', { class: 'line-text' }, text);
  return element('li', { class: `line ${tone}`, 'data-key': key }, textElement, timeElement(at));
}

function deliveryItem(item: TimelineDelivery & { key: string }): HTMLElement {
  const { key, at, title, steps } = item;
  const last = steps.at(-1);
  const tone = last?.tone ?? 'plain';
  const hasNote = last !== undefined && (tone === 'bad' || last.name === 'duplicate' || last.name === 'unannounced');
  return element(
    'li',
    { class: `delivery ${tone}`, 'data-key': key },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('span', { class: 'delivery-head' }, element('strong', {}, title), timeElement(at)),
        element(
          'span',
          { class: 'track' },
          ...withoutRetries(steps).map(trackStep),
          isHalted(item) ? null : pendingStep(),
        ),
        hasNote ? element('span', { class: 'delivery-note' }, last.text) : null,
      ),
      element('ol', { class: 'steps' }, ...steps.map(stepItem)),
    ),
  );
}

/** A step in the summary: a label and its time. */
function trackStep(step: Step): HTMLElement {
  return element(
    'span',
    { class: `track-step ${step.tone}`, 'data-step': step.name },
    element('span', { class: 'track-word' }, stepLabel(step)),
    ' ',
    element('span', { class: 'track-after' }, formatElapsed(step.afterMs)),
    ' ',
  );
}

function pendingStep(): HTMLElement {
  return element('span', { class: 'track-step to-come' }, element('span', { class: 'track-word' }, '…'));
}

function stepItem({ tone, text, at, afterMs }: Step): HTMLElement {
  const time = { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') };
  return element(
    'li',
    { class: `step ${tone}` },
    element('span', { class: 'step-text' }, text),
    element('time', time, `${formatTime(at, 'T')}, +${formatElapsed(afterMs)}`),
  );
}

function timeElement(at: number): HTMLElement {
  return element('time', { datetime: new Date(at).toISOString(), title: formatTime(at, 'F') }, formatTime(at, 'T'));
}

/** Omits all but the last attempt to announce it. */
function withoutRetries(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step, index) => step.name !== 'waiting' || index === steps.length - 1);
}

/** Whether it is settled or waiting for a retry. */
function isHalted({ isSettled, steps }: TimelineDelivery): boolean {
  return isSettled || steps.at(-1)?.name === 'waiting';
}

/** The texts of its steps except "received". */
function describeSteps({ steps }: TimelineDelivery): string {
  const notable = steps.filter(({ name }) => name !== 'received');
  return notable.map(({ text }) => text).join(', ');
}

/** The label of a step; for credits their number. */
function stepLabel({ name, text }: Pick<Step, 'name' | 'text'>): string {
  return name === 'credited' ? (/^\+\d+/.exec(text)?.[0] ?? 'No credits') : stepLabels[name];
}
