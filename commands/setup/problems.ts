import { operator } from '../../src/core/ledger/correction.ts';
import { selectedValues } from '../../src/discord/commands/input.ts';
import type { ModalField } from '../../src/discord/commands/reply.ts';
import type { RoleAccess } from '../../src/features/roles/inspect-roles.ts';
import { findSetting } from '../../src/features/settings.ts';
import { isEqual } from '../../src/platform/json.ts';
import { bold, channelMention, escapeName, type Markup, markup, roleMention } from '../../src/texts/markup.ts';
import type { Problem } from './results.ts';
import { type SetupView, settingName } from './view.ts';

/** Without these, announcements fail. */
const requiredPermissions: readonly string[] = ['View Channel', 'Send Messages', 'Embed Links'];

/** What the bot lacks in a channel, so that it cannot post there; null for nothing. */
export function channelProblem({ input, texts }: SetupView, channelId: string, label: Markup): Problem | null {
  const missing = input.resolved.channels[channelId]?.missing?.filter((name) => requiredPermissions.includes(name));
  if (missing === undefined || missing.length === 0) return null;
  const { problems } = texts.setup;
  const text = problems.channel(channelMention(channelId), missing.join(', '));
  return { text: markup`${bold(label)}: ${text}`, hint: problems.channelHint };
}

/** Why the bot could not post in the channels that were selected in a form. */
export function findChannelProblems(view: SetupView, fields: readonly ModalField[]): readonly Problem[] {
  return fields.flatMap(({ kind, name, label }) =>
    kind === 'channels'
      ? selectedValues(view.input, name).flatMap((id) => channelProblem(view, id, escapeName(label)) ?? [])
      : [],
  );
}

/** A setting before and after a change; undefined for one that `/setup` does not store. */
export interface ValueChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A role that members are given. */
export interface GivenRole {
  /** The setting that names it. */
  readonly path: string;
  /** The id; external, so it can be anything. */
  readonly role: unknown;
}

/**
 * The roles that are given after a change and were not before, or not in this way. Not those that a member only needs,
 * and not those of the operator's file and environment, which `/setup` does not store.
 */
export function newlyGivenRoles(changes: readonly ValueChange[]): readonly GivenRole[] {
  return changes.flatMap(({ path, before, after }) => {
    const rolesIn = (value: unknown) =>
      (findSetting(path)?.givenRoles?.(value) ?? []).filter(({ role }) => role !== undefined && role !== null);
    const earlier = rolesIn(before);
    return rolesIn(after)
      .filter(({ entry }) => !earlier.some((each) => isEqual(each.entry, entry)))
      .map(({ role }) => ({ path, role }));
  });
}

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
  // The operator, whose id is none of Discord's, decides for all servers.
  const isBound = input.userId !== operator && input.userId !== access.ownerId;
  if (isBound && isAbove(roleId, input.roles ?? [], access)) {
    return [problems.roleAboveMember(role), problems.roleAboveMemberHint];
  }
  return access.mayManageRoles ? null : [problems.manageRoles, problems.manageRolesHint];
}

/** Whether a role is above the highest one of a member. */
function isAbove(roleId: string, memberRoles: readonly string[], { positions }: RoleAccess): boolean {
  const highest = Math.max(0, ...memberRoles.map((id) => positions.get(id) ?? 0));
  return (positions.get(roleId) ?? Number.POSITIVE_INFINITY) > highest;
}
