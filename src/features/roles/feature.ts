import type { Feature } from '../../core/feature.ts';
import { newEffect } from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import { guardsRule, hiddenRolesOf } from '../guards/feature.ts';
import * as sql from './store.ts';
import { roleFailedReport, voterRolesKind } from './store.ts';

export type { RoleAccess } from './inspect-roles.ts';
export { explainRoleIssue, type RoleIssue, roleIssue } from './role-issue.ts';

export const roles = {
  sql,
  effects: [voterRolesKind],
  ownerReports: [roleFailedReport],
  onVote: { of: { rule: guardsRule }, call: askForRoles },
  deleteOfGuild: deleteRowsByKey('grants', 'guild_id', ['user_id', 'role', 'source', 'guild_id']),
} satisfies Feature;

/** Who only votes uses no command that would show their roles, and some of these are on no leaderboard. */
function askForRoles(tally: Tally, { listing, account, now }: CountedVote): void {
  const { id, guildId } = listing.community;
  if (guildId === null || hiddenRolesOf([listing]).length === 0) return;
  const content = { guildId, userId: account.userId };
  const queue = queueName('membership', id, guildId);
  // Not of the delivery: a trace need not show it.
  tally.enqueue(newEffect(voterRolesKind, { queue, content, deliveryId: null, createdAt: now }));
}
