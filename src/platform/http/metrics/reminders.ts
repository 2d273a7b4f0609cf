import { Counter, type Registry } from 'prom-client';

export interface ReminderMetrics {
  /** `outcome` is `due`, `not_yet` or `unknown`. */
  readonly reminders: Counter<'outcome'>;
  /** `outcome` is `polled`, `over_budget` or `failed`. */
  readonly reviewPolls: Counter<'listing' | 'outcome'>;
}

/** What is checked at the service in the background: reminders, and new reviews. Their messages are counted as effects of the kind `directMessage`. */
export function reminderMetrics(registry: Registry): ReminderMetrics {
  const reminders = new Counter({
    name: 'tallyhook_reminders_total',
    help: 'Reminders checked when due, by outcome (due, not_yet, unknown).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['due', 'not_yet', 'unknown']) reminders.inc({ outcome }, 0);
  const reviewPolls = new Counter({
    name: 'tallyhook_review_polls_total',
    help: 'Polls for new reviews to announce, by listing and outcome (polled, over_budget, failed).',
    labelNames: ['listing', 'outcome'],
    registers: [registry],
  });
  return { reminders, reviewPolls };
}
