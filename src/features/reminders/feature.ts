import type { Feature } from '../../core/feature.ts';
import { directMessages } from './effects.ts';
import { planReminder } from './on-vote.ts';
import * as sql from './store.ts';
import { deleteReminders, tables } from './tables.ts';

export const reminders = {
  sql,
  tables,
  directMessages,
  deleteOfGuild: deleteReminders,
  onVote: { of: { member: 'isReminded' }, call: planReminder },
  load: () => import('./parts.ts'),
} satisfies Feature;
