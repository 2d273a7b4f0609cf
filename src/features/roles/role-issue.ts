import { type Markup, roleMention } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';
import type { RoleAccess } from './inspect-roles.ts';

/** Why the bot cannot give a role, or must not: one of a moderator. */
export type RoleIssue = (typeof roleIssues)[number];
export const roleIssues = [
  'role_deleted',
  'role_managed',
  'role_moderating',
  'role_too_high',
  'missing_permission',
] as const;

/** Null if the bot can give the role. */
export function roleIssue(role: string, { roles, moderating, mayManageRoles }: RoleAccess): RoleIssue | null {
  const state = roles.get(role);
  if (state === undefined) return 'role_deleted';
  if (state === 'managed') return 'role_managed';
  if (moderating.has(role)) return 'role_moderating';
  if (!mayManageRoles) return 'missing_permission';
  return state === 'above' ? 'role_too_high' : null;
}

export function explainRoleIssue(issue: RoleIssue, roleId: string, { text }: Texts): readonly [Markup, Markup] {
  const role = roleMention(roleId);
  switch (issue) {
    case 'role_deleted':
      return [text('setup.problems.unknownRole'), text('setup.problems.unknownRoleHint')];
    case 'role_managed':
      return [text('setup.problems.managedRole', { role }), text('setup.problems.managedRoleHint')];
    case 'role_moderating':
      return [text('setup.problems.moderatingRole', { role }), text('setup.problems.moderatingRoleHint')];
    case 'role_too_high':
      return [text('setup.problems.roleAbove', { role }), text('setup.problems.roleAboveHint', { role })];
    case 'missing_permission':
      return [text('setup.problems.manageRoles'), text('setup.problems.manageRolesHint')];
  }
}
