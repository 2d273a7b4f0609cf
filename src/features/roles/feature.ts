import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import * as sql from './store.ts';
import { roleFailedReport } from './store.ts';

export type { RoleAccess } from './inspect-roles.ts';
export { explainRoleIssue, type RoleIssue, roleIssue } from './role-issue.ts';

export const roles = {
  sql,
  ownerReports: [roleFailedReport],
  deleteOfGuild: deleteRowsByKey('grants', 'guild_id', ['user_id', 'role', 'source', 'guild_id']),
} satisfies Feature;
