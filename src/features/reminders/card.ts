import type { Clock } from '@tallyhook/platform/clock';
import { html } from '@tallyhook/platform/web/html';
import type { ConsoleCard } from '../parts.ts';
import type { StoredReminders } from './store.ts';

/** How many reminders are scheduled. */
export function reminderCard(reminders: Pick<StoredReminders, 'summary'>, clock: Pick<Clock, 'now'>): ConsoleCard {
  return {
    id: 'reminders',
    title: ({ text }) => text('console.reminders.title'),
    async render({ texts }) {
      const { scheduled, dueSoon, stopped } = await reminders.summary(clock.now());
      const { number } = texts;
      const { text } = texts;
      return html`<dl class="sums"><div><dt>${text('console.reminders.scheduled')}</dt><dd>${number(scheduled)}</dd></div>
<div><dt>${text('console.reminders.dueSoon')}</dt><dd>${number(dueSoon)}</dd></div>
<div><dt>${text('console.reminders.closed')}</dt><dd>${number(stopped)}</dd></div></dl>
<p class="quiet">${text('console.reminders.hint')}</p>`;
    },
  };
}
