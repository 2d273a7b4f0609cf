import { Counter, type Registry } from 'prom-client';

export interface ReminderMetrics {
  /** `outcome` is `due`, `not_yet` or `unknown`. */
  readonly reminders: Counter<'outcome'>;
}

/** Checks of reminders. Their messages are counted as effects of the kind `directMessage`. */
export function reminderMetrics(registry: Registry): ReminderMetrics {
  const reminders = new Counter({
    name: 'tallyhook_reminders_total',
    help: 'Reminders checked when due, by outcome (due, not_yet, unknown).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['due', 'not_yet', 'unknown']) reminders.inc({ outcome }, 0);
  return { reminders };
}
