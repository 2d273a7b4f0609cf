import { bold, channelMention, escapeName, type Markup, markup, roleMention } from '../../src/texts/markup.ts';
import { selectedValues } from '../command.ts';
import type { ModalField } from '../reply.ts';
import type { RoleAccess } from '../setup-checks.ts';
import type { Problem } from './render-change.ts';
import type { SetupView } from './view.ts';

/** Without these, announcements fail. */
const requiredPermissions: readonly string[] = ['View Channel', 'Send Messages', 'Embed Links'];
/** Fields whose role a member must have; the bot need not give it. */
const conditionFields: readonly string[] = ['needsRole', 'multiplierRole'];

/** What the bot lacks in a channel, so that it cannot post there; null for nothing. */
export function channelProblem({ input, texts }: SetupView, channelId: string, label: Markup): Problem | null {
  const missing = input.resolved.channels[channelId]?.missing?.filter((name) => requiredPermissions.includes(name));
  if (missing === undefined || missing.length === 0) return null;
  const { problems } = texts.setup;
  const text = problems.channel(channelMention(channelId), missing.join(', '));
  return { text: markup`${bold(label)}: ${text}`, hint: problems.channelHint };
}

/** Why Discord would reject what was selected in a form: permissions of channels, order of roles. */
export async function findProblems(view: SetupView, fields: readonly ModalField[]): Promise<readonly Problem[]> {
  const { input, services, guildId } = view;
  const selections = fields.flatMap(({ kind, name, label }) =>
    kind === 'channels' || kind === 'roles'
      ? selectedValues(input, name).map((id) => ({ kind, name, label: escapeName(label), id }))
      : [],
  );
  const givenRoles = selections.filter(({ kind, name }) => kind === 'roles' && !conditionFields.includes(name));
  const access = givenRoles.length === 0 ? null : await services.checks.roleAccess(guildId);
  const channels = selections.flatMap(({ kind, id, label }) =>
    kind === 'channels' ? (channelProblem(view, id, label) ?? []) : [],
  );
  return [...channels, ...givenRoles.flatMap(({ id, label }) => roleProblem(view, id, label, access) ?? [])];
}

function roleProblem(
  { input, texts, guildId }: SetupView,
  roleId: string,
  label: Markup,
  access: RoleAccess | null,
): Problem | null {
  const { problems } = texts.setup;
  const role = roleMention(roleId);
  const at = (text: Markup, hint: Markup): Problem => ({ text: markup`${bold(label)}: ${text}`, hint });
  const state = access?.roles.get(roleId);
  const isManaged = roleId === guildId || input.resolved.roles[roleId]?.isManaged === true || state === 'managed';
  if (isManaged) return at(problems.managedRole(role), problems.managedRoleHint);
  if (input.resolved.roles[roleId]?.isModerating === true || access?.moderating.has(roleId)) {
    return at(problems.moderatingRole(role), problems.moderatingRoleHint);
  }
  if (state === 'above') return at(problems.roleAbove(role), problems.roleAboveHint(role));
  if (access?.mayManageRoles === false) return at(problems.manageRoles, problems.manageRolesHint);
  return null;
}
