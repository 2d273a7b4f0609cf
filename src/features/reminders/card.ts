import type { Clock } from '../../platform/clock.ts';
import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { StoredReminders } from './store.ts';

/** How many reminders are scheduled. */
export function reminderCard(reminders: Pick<StoredReminders, 'summary'>, clock: Pick<Clock, 'now'>): ConsoleCard {
  return {
    id: 'reminders',
    title: ({ console: words }) => words.reminders.title,
    async render({ texts }) {
      const { scheduled, dueSoon, stopped } = await reminders.summary(clock.now());
      const { number } = texts;
      const words = texts.console.reminders;
      return html`<dl class="sums"><div><dt>${words.scheduled}</dt><dd>${number(scheduled)}</dd></div>
<div><dt>${words.dueSoon}</dt><dd>${number(dueSoon)}</dd></div>
<div><dt>${words.closed}</dt><dd>${number(stopped)}</dd></div></dl>
<p class="quiet">${words.hint}</p>`;
    },
  };
}
