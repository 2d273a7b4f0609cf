import { formatElapsed } from '@tallyhook/platform/durations';
import {
  findById,
  formatTime,
  html,
  lineItem,
  nothing,
  render,
  renderKeyed,
  type TemplateResult,
  timeElement,
  withDays,
} from 'local-discord/page/browser';
import type { Step, StepName, TimelineDelivery } from '../ports.ts';
import type { Item, SandboxStore } from './sandbox-store.ts';

const stepLabels: Readonly<Record<StepName, string>> = {
  received: 'Received',
  verified: 'Verified',
  refused: 'Rejected',
  recorded: 'Recorded',
  duplicate: 'Duplicate',
  test: 'Test',
  quarantined: 'Quarantined',
  credited: 'No credits',
  waiting: 'Waiting',
  announced: 'Announced',
  unannounced: 'Not announced',
  buried: 'Buried',
};

/** The timeline, newest first: deliveries that can be expanded, and lines, of which commands are hidden at first. */
export function startTimeline({ state, on }: SandboxStore): void {
  const list = findById('timeline');
  const announcer = findById('timeline-news');
  // Some browsers scroll with the keyboard only if the element is focusable.
  list.tabIndex = 0;
  const toggle = findById<HTMLButtonElement>('timeline-commands');
  let showsCommands = false;
  toggle.addEventListener('click', () => {
    showsCommands = !showsCommands;
    draw();
  });

  function draw(): void {
    const all = [...state.timeline.values()].reverse();
    const items = showsCommands ? all : all.filter((item) => !isCommand(item));
    toggle.hidden = !all.some(isCommand);
    toggle.textContent = showsCommands ? 'Hide commands' : 'Show commands';
    if (items.length > 0) renderKeyed(withDays(items, itemTemplate), list);
    else render(html`<li class="nothing">No events yet. Cast a vote.</li>`, list);
  }

  on(['full_state', 'activity', 'timeline'], draw);
  on(['timeline'], ({ item }) => {
    // One announcement per delivery, not per step.
    if (item.kind === 'delivery' && isHalted(item)) announcer.textContent = `${item.title}: ${describeSteps(item)}`;
  });
}

/** Checks whether an item is what members did in Discord, of which there is much while somebody uses /setup. */
function isCommand(item: Item): boolean {
  return item.kind === 'activity' && item.tone === 'plain';
}

function itemTemplate(item: Item): TemplateResult {
  return item.kind === 'delivery' ? deliveryItem(item) : lineItem(item);
}

function deliveryItem(item: TimelineDelivery & { key: string }): TemplateResult {
  const { key, at, title, steps } = item;
  const last = steps.at(-1);
  const tone = last?.tone ?? 'plain';
  const hasNote = last !== undefined && (tone === 'bad' || last.name === 'duplicate' || last.name === 'unannounced');
  return html`<li class="delivery ${tone}" data-key=${key}><details>
    <summary>
      <span class="delivery-head"><strong>${title}</strong>${timeElement(at)}</span>
      <span class="track">${withoutRetries(steps).map(trackStep)}${isHalted(item) ? nothing : pendingStep}</span>
      ${hasNote ? html`<span class="delivery-note">${last.text}</span>` : nothing}
    </summary>
    <ol class="steps">${steps.map(stepItem)}</ol>
  </details></li>`;
}

function trackStep(step: Step): TemplateResult {
  return html`<span class="track-step ${step.tone}" data-step=${step.name}><span class="track-word">${stepLabel(step)}</span> <span class="track-after">${formatElapsed(step.afterMs)}</span> </span>`;
}

const pendingStep = html`<span class="track-step to-come"><span class="track-word">…</span></span>`;

function stepItem({ tone, text, at, afterMs }: Step): TemplateResult {
  const time = `${formatTime(at, 'T')}, +${formatElapsed(afterMs)}`;
  return html`<li class="step ${tone}"><span class="step-text">${text}</span>${timeElement(at, time)}</li>`;
}

/** Omits all but the last attempt to announce it. */
function withoutRetries(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step, index) => step.name !== 'waiting' || index === steps.length - 1);
}

function isHalted({ isSettled, steps }: TimelineDelivery): boolean {
  return isSettled || steps.at(-1)?.name === 'waiting';
}

function describeSteps({ steps }: TimelineDelivery): string {
  const notable = steps.filter(({ name }) => name !== 'received');
  return notable.map(({ text }) => text).join(', ');
}

/** The label of a step; for credits their number, if there are any. */
function stepLabel({ name, text }: Pick<Step, 'name' | 'text'>): string {
  const credits = name === 'credited' ? /^\+\d+/.exec(text)?.[0] : undefined;
  return credits ?? stepLabels[name];
}
