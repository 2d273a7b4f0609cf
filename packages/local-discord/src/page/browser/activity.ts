import { formatTime } from '../../web/browser/format-time.ts';
import type { ActivityLine } from '../activity.ts';
import { findById, html, type KeyedTemplate, render, renderKeyed, type TemplateResult } from './element.ts';
import type { PageStore } from './store.ts';

/** When the bot connected, and how it has responded to members: newest first. */
export function startActivity(store: PageStore): void {
  const { state } = store;
  const list = findById('activity');
  // Some browsers scroll with the keyboard only if the element is focusable.
  list.tabIndex = 0;
  store.on(['full_state', 'activity'], () => {
    if (state.activity.length > 0) renderKeyed(withDays(state.activity.toReversed(), lineItem), list);
    else
      render(
        html`<li class="nothing">No bot has connected yet. The address of the API is ${location.origin}/api.</li>`,
        list,
      );
  });
}

/** The entries of a list with a date above those of each day, unless all are of one day. */
export function withDays<Item extends { readonly key: string; readonly at: number }>(
  items: readonly Item[],
  toTemplate: (item: Item) => TemplateResult,
): KeyedTemplate[] {
  const days = items.map(({ at }) => formatTime(at, 'D'));
  const hasDays = new Set(days).size > 1;
  return items.flatMap((item, index) => {
    const entry = { key: item.key, template: toTemplate(item) };
    if (!hasDays || days[index] === days[index - 1]) return [entry];
    return [{ key: `day of ${item.key}`, template: html`<li class="day">${days[index]}</li>` }, entry];
  });
}

export function lineItem({ key, at, tone, text }: ActivityLine): TemplateResult {
  return html`<li class="line ${tone}" data-key=${key}><span class="line-text">${text}</span>${timeElement(at)}</li>`;
}

export function timeElement(at: number, text = formatTime(at, 'T')): TemplateResult {
  return html`<time datetime=${new Date(at).toISOString()} title=${formatTime(at, 'F')}>${text}</time>`;
}
