import { second } from '../../../platform/durations.ts';
import { element } from './element.ts';
import { formatRelative, formatTime } from './format-time.ts';
import type { PageStore } from './store.ts';

/** A relative time such as "in 3 hours", which {@link startRelativeTimes} keeps up to date. Both in ms since the epoch. */
export function relativeTime(at: number, now: number): HTMLTimeElement {
  const attributes = { datetime: new Date(at).toISOString(), title: formatTime(at, 'F'), 'data-relative': at };
  return element('time', attributes, formatRelative(at, now));
}

/** Updates every relative time on the page once a second. */
export function startRelativeTimes(store: PageStore): void {
  function render(): void {
    for (const node of document.querySelectorAll<HTMLElement>('time[data-relative]')) {
      const text = formatRelative(Number(node.dataset['relative']), store.state.clock.now());
      if (node.textContent !== text) node.textContent = text;
    }
  }
  setInterval(render, second);
  store.subscribe(({ kind }) => {
    if (kind === 'simulation') render();
  });
}
