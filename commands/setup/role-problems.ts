import type { RoleAccess } from '../../src/features/roles/inspect-roles.ts';
import { bold, type Markup, markup, roleMention } from '../../src/texts/markup.ts';
import { newlyGivenRoles, type ValueChange } from './given-roles.ts';
import type { Problem } from './render-change.ts';
import { settingName } from './values.ts';
import type { SetupView } from './view.ts';

/**
 * Why the member may not let tallyhook give the roles of a change, or Discord would not let the bot. Every change that
 * can contain roles passes here: forms, imported files, and changes that are undone.
 */
export async function findRoleProblems(view: SetupView, changes: readonly ValueChange[]): Promise<readonly Problem[]> {
  const given = newlyGivenRoles(changes);
  const [first] = given;
  if (first === undefined) return [];
  const access = await view.services.checks.roleAccess(view.guildId);
  const { problems } = view.texts.setup;
  if (access === null) return [at(view, first.path, problems.rolesUnknown, problems.rolesUnknownHint)];
  return given.flatMap(({ path, role }) => {
    const found = problemOfRole(view, access, role);
    return found === null ? [] : [at(view, path, ...found)];
  });
}

function at({ texts }: SetupView, path: string, text: Markup, hint: Markup): Problem {
  return { text: markup`${bold(settingName(path, texts))}: ${text}`, hint };
}

function problemOfRole(
  { input, texts }: SetupView,
  access: RoleAccess,
  roleId: unknown,
): readonly [text: Markup, hint: Markup] | null {
  const { problems } = texts.setup;
  const state = typeof roleId === 'string' ? access.roles.get(roleId) : undefined;
  if (typeof roleId !== 'string' || state === undefined) return [problems.unknownRole, problems.unknownRoleHint];
  const role = roleMention(roleId);
  if (state === 'managed') return [problems.managedRole(role), problems.managedRoleHint];
  if (access.moderating.has(roleId)) return [problems.moderatingRole(role), problems.moderatingRoleHint];
  if (state === 'above') return [problems.roleAbove(role), problems.roleAboveHint(role)];
  if (input.userId !== access.ownerId && isAbove(roleId, input.roles ?? [], access)) {
    return [problems.roleAboveMember(role), problems.roleAboveMemberHint];
  }
  return access.mayManageRoles ? null : [problems.manageRoles, problems.manageRolesHint];
}

/** Whether a role is above the highest one of a member. */
function isAbove(roleId: string, memberRoles: readonly string[], { positions }: RoleAccess): boolean {
  const highest = Math.max(0, ...memberRoles.map((id) => positions.get(id) ?? 0));
  return (positions.get(roleId) ?? Number.POSITIVE_INFINITY) > highest;
}
