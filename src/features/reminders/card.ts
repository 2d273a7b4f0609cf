import type { Clock } from '../../platform/clock.ts';
import { formatCount } from '../../platform/durations.ts';
import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { StoredReminders } from './store.ts';

/** How many reminders are scheduled. */
export function reminderCard(reminders: Pick<StoredReminders, 'summary'>, clock: Pick<Clock, 'now'>): ConsoleCard {
  return {
    id: 'reminders',
    title: 'Reminders',
    async render() {
      const { scheduled, dueSoon, stopped } = await reminders.summary(clock.now());
      return html`<dl class="sums"><div><dt>Members with a scheduled reminder</dt><dd>${scheduled.toLocaleString('en')}</dd></div>
<div><dt>Due within an hour</dt><dd>${formatCount(dueSoon, 'reminder')}</dd></div>
<div><dt>Switched off, direct messages closed</dt><dd>${formatCount(stopped, 'member')}</dd></div></dl>
<p class="quiet">A reminder is scheduled by a vote. Members who have not voted since the last one are not counted.</p>`;
    },
  };
}
