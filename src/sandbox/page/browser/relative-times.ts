import { second } from '../../../platform/durations.ts';
import { html, nothing, type TemplateResult } from './element.ts';
import { formatRelative, formatTime } from './format-time.ts';
import type { PageStore } from './store.ts';

/**
 * A relative time such as "in 3 hours", which {@link startRelativeTimes} keeps up to date. Both in ms since the epoch.
 *
 * @param locale the default is the browser's
 */
export function relativeTime(at: number, now: number, locale?: string): TemplateResult {
  const iso = new Date(at).toISOString();
  const text = formatRelative(at, now, locale);
  return html`<time datetime=${iso} title=${formatTime(at, 'F', locale)} data-relative=${at} data-locale=${locale ?? nothing} .textContent=${text}></time>`;
}

/** Updates every relative time on the page once a second. */
export function startRelativeTimes(store: PageStore): void {
  function render(): void {
    for (const node of document.querySelectorAll<HTMLElement>('time[data-relative]')) {
      const { relative, locale } = node.dataset;
      const text = formatRelative(Number(relative), store.state.clock.now(), locale);
      if (node.textContent !== text) node.textContent = text;
    }
  }
  setInterval(render, second);
  store.on(['simulation', 'time'], render);
}
