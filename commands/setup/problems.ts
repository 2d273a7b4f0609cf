import { isEqual } from '@tallyhook/platform/json';
import {
  bold,
  channelMention,
  escapeText,
  joined,
  lines,
  type Markup,
  markup,
  roleMention,
  subtext,
  trustedMarkup,
} from '@tallyhook/platform/texts/markup';
import { operator } from '../../src/core/ledger/correction.ts';
import { hintText, isOff } from '../../src/core/settings/setting-spec.ts';
import { ruleText } from '../../src/core/settings/value-schemas.ts';
import { selectedValues, textField } from '../../src/discord/commands/input.ts';
import type { Panel } from '../../src/discord/commands/reply.ts';
import type { RoleAccess, RoleState } from '../../src/features/roles/inspect-roles.ts';
import type { SettingIssue } from '../../src/features/settings/community.ts';
import { findSetting } from '../../src/features/settings.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { fileSuffix } from './form.ts';
import { displayName, escapedName, type SetupView, settingName } from './view.ts';

/** Without these, announcements fail. */
const requiredPermissions: readonly string[] = ['View Channel', 'Send Messages', 'Embed Links'];

/**
 * Why the bot cannot post in a channel that a member chose, or may not, because it is of another server; null if it can.
 * The bot may be in the servers of other owners, and would post in their channels too. @param channelId may be anything
 */
export async function channelProblem(view: SetupView, channelId: unknown, label: Markup): Promise<Problem | null> {
  const { input, texts, services, guildId } = view;

  const own = await services.checks.channelsOf(guildId);
  const selected = typeof channelId === 'string' && Object.hasOwn(input.resolved.channels, channelId);
  const named = (text: Markup, hint: Markup): Problem => ({ text: markup`${bold(label)}: ${text}`, hint });
  if (own === null && !selected)
    return named(texts.text('setup.problems.channelsUnknown'), texts.text('setup.problems.rolesUnknownHint'));
  if (typeof channelId !== 'string' || (own !== null && !own.has(channelId))) {
    return {
      ...named(texts.text('setup.problems.unknownChannel'), texts.text('setup.problems.unknownChannelHint')),
      isForeign: true,
    };
  }
  const lacking = (selected && input.resolved.channels[channelId]?.missing) || [];
  const missing = lacking.filter((name) => requiredPermissions.includes(name));
  if (missing.length === 0) return null;
  return named(
    texts.text('setup.problems.channel', {
      channel: channelMention(channelId),
      permissions: trustedMarkup(texts.list(missing)),
    }),
    texts.text('setup.problems.channelHint'),
  );
}

/** A setting before and after a change; undefined for one that `/setup` does not store. */
export interface ValueChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Why a change cannot be saved: the bot cannot post in a channel, or give a role, or either is of another server. Every
 * change that can name channels or roles passes here: forms, first steps, imported files, and changes that are undone.
 */
export async function findObjectProblems(
  view: SetupView,
  changes: readonly ValueChange[],
): Promise<readonly Problem[]> {
  const channels = changes.filter(
    ({ path, before, after }) => findSetting(path)?.isChannel && !isOff(after) && after !== before,
  );
  const problems = channels.map(({ path, after }) => channelProblem(view, after, settingName(path, view.texts)));
  return [...(await Promise.all(problems)).filter((each) => each !== null), ...(await findRoleProblems(view, changes))];
}

/**
 * The roles that are given after a change and were not before, or not in this way. Not those of the operator's file and
 * environment, which `/setup` does not store. `role` is the id; external, so it can be anything.
 */
function newlyGivenRoles(changes: readonly ValueChange[]) {
  return changes.flatMap(({ path, before, after }) => {
    const rolesIn = (value: unknown) =>
      (findSetting(path)?.givenRoles?.(value) ?? []).filter(({ role }) => role !== undefined && role !== null);
    const earlier = rolesIn(before);
    return rolesIn(after)
      .filter(({ entry }) => !earlier.some((each) => isEqual(each.entry, entry)))
      .map(({ role }) => ({ path, role }));
  });
}

/** The roles that members need after a change and did not need before. The ids can be anything. */
function newlyRequiredRoles(changes: readonly ValueChange[]) {
  return changes.flatMap(({ path, before, after }) => {
    const rolesIn = (value: unknown) =>
      findSetting(path)
        ?.requiredRoles?.(value)
        .filter((role) => !isOff(role)) ?? [];
    const earlier = rolesIn(before);
    return rolesIn(after)
      .filter((role) => !earlier.includes(role))
      .map((role) => ({ path, role }));
  });
}

/**
 * Why the member may not let tallyhook give the roles of a change, or Discord would not let the bot; also if a role, given
 * or only required, is not of this server.
 */
export async function findRoleProblems(view: SetupView, changes: readonly ValueChange[]): Promise<readonly Problem[]> {
  const given = newlyGivenRoles(changes);
  const required = newlyRequiredRoles(changes);
  const [first] = [...given, ...required];
  if (first === undefined) return [];
  const access = await view.services.checks.roleAccess(view.guildId);
  const { text } = view.texts;
  if (access === null)
    return [at(view, first.path, text('setup.problems.rolesUnknown'), text('setup.problems.rolesUnknownHint'))];
  const unknown = required.filter(({ role }) => typeof role !== 'string' || !access.roles.has(role));
  return [
    ...given.flatMap(({ path, role }) => {
      const state = typeof role === 'string' ? access.roles.get(role) : undefined;
      if (typeof role !== 'string' || state === undefined) return [unknownRole(view, path)];
      const found = problemOfRole(view, access, { role, state });
      return found === null ? [] : [at(view, path, ...found)];
    }),
    ...unknown.map(({ path }) => unknownRole(view, path)),
  ];
}

function at({ texts }: SetupView, path: string, text: Markup, hint: Markup): Problem {
  return { text: markup`${bold(settingName(path, texts))}: ${text}`, hint };
}

function unknownRole(view: SetupView, path: string): Problem {
  const { text } = view.texts;
  return {
    ...at(view, path, text('setup.problems.unknownRole'), text('setup.problems.unknownRoleHint')),
    isForeign: true,
  };
}

function problemOfRole(
  { input, texts }: SetupView,
  access: RoleAccess,
  { role: roleId, state }: { readonly role: string; readonly state: RoleState },
): readonly [text: Markup, hint: Markup] | null {
  const { text } = texts;
  const role = roleMention(roleId);
  if (state === 'managed')
    return [text('setup.problems.managedRole', { role }), text('setup.problems.managedRoleHint')];
  if (access.moderating.has(roleId))
    return [text('setup.problems.moderatingRole', { role }), text('setup.problems.moderatingRoleHint')];
  if (state === 'above')
    return [text('setup.problems.roleAbove', { role }), text('setup.problems.roleAboveHint', { role })];
  // The operator, whose id is none of Discord's, decides for all servers.
  const isBound = input.userId !== operator && input.userId !== access.ownerId;
  if (isBound && isAbove(roleId, input.roles ?? [], access)) {
    return [text('setup.problems.roleAboveMember', { role }), text('setup.problems.roleAboveMemberHint')];
  }
  return access.mayManageRoles ? null : [text('setup.problems.manageRoles'), text('setup.problems.manageRolesHint')];
}

function isAbove(roleId: string, memberRoles: readonly string[], { positions }: RoleAccess): boolean {
  const highest = Math.max(0, ...memberRoles.map((id) => positions.get(id) ?? 0));
  return (positions.get(roleId) ?? Number.POSITIVE_INFINITY) > highest;
}

const maxProblems = 12;
const maxProblemLength = 300;

/** What is wrong with a setting, and what to do. */
export interface Problem {
  readonly text: Markup;
  /** Null if the text says what to do. */
  readonly hint: Markup | null;
  /** It is about a channel or role of another server, or none, which no form offers. */
  readonly isForeign?: true;
}

/** The answer to a form with these problems. */
export function refusing(answer: Panel, problems: readonly Problem[]): Panel {
  return problems.some(({ isForeign }) => isForeign) ? { ...answer, isRefused: true } : answer;
}

/** What is wrong with a value. The reason for a missing key is the operator's, who alone can restore it. */
export function problemOf(issue: SettingIssue, view: Pick<SetupView, 'texts' | 'listingNames'>): Problem {
  const { texts } = view;
  const ofLink = textOfLink(issue, view);
  if (ofLink !== null) return { text: ofLink, hint: null };
  const { path, code, problem, hint } = issue;
  const name = bold(settingName(path, texts));
  if (code === 'missing') {
    const [field] = findSetting(path)?.fields ?? [];
    const use = field?.hint === undefined ? null : escapedName(hintText(field.hint, texts));
    return { text: joined([name, texts.text('setup.values.none')], ': '), hint: use };
  }
  if (code === 'no_settings_key') {
    return { text: markup`${name}: ${texts.text('setup.problems.noKey')}`, hint: texts.text('failure.needsOperator') };
  }
  if (code === 'unknown_listing') {
    return { text: markup`${name}: ${texts.text('setup.problems.unknownListing')}`, hint: null };
  }
  const place = placeOf(issue, texts);
  if (issue.rule) return { text: markup`${place}: ${escapeText(ruleText(issue.rule, texts))}`, hint: null };
  // What only files can have is in English, as in the file.
  const detail = escapeText(hint === null ? problem : `${problem} ${hint}`, maxProblemLength);
  return { text: markup`${place}: ${texts.text('setup.problems.value')}`, hint: detail };
}

/** The field with the problem: `0.price` of the items is the one for the price. The setting, if there is no such field. */
function placeOf({ path, position = [] }: SettingIssue, texts: Texts): Markup {
  const { text, has } = texts;
  const part = position.findLast((each) => typeof each === 'string');
  const field = findSetting(path)?.fields?.find((each) => each.part === part);
  const label = field?.name ?? part;
  const name = bold(settingName(path, texts));
  if (typeof label !== 'string' || !has('setup.fields', label)) return name;
  const shown = escapedName(text(`setup.fields.${label}`));
  return part === undefined ? bold(shown) : joined([name, shown], ' · ');
}

/** Why a listing cannot be linked, or cannot have a key. */
function textOfLink({ code, listing }: SettingIssue, view: Pick<SetupView, 'texts' | 'listingNames'>): Markup | null {
  const { text } = view.texts;
  const name = escapedName(displayName(view, listing ?? ''));
  switch (code) {
    case 'already_linked':
      return text('setup.link.alreadyLinked', { name });
    case 'operators_listing':
      return text('setup.link.linkedByOperator', { name });
    case 'not_compared':
      return text('setup.link.notCompared', { name });
    case 'other_listing':
      return text('setup.link.otherListing');
    default:
      return null;
  }
}

export function renderProblems(problems: readonly Problem[]): Markup {
  return lines(...problems.slice(0, maxProblems).map(({ text, hint }) => lines(text, hint && subtext(hint))));
}

/** The input with the texts of uploaded files in the fields that they are for, below what was typed there. */
export async function withUploads({ input, services, texts }: SetupView): Promise<SetupView['input'] | Problem> {
  const fields = { ...input.fields };
  for (const name of Object.keys(fields).filter((each) => each.endsWith(fileSuffix))) {
    const file = input.resolved.files?.[selectedValues(input, name)[0] ?? ''];
    if (file === undefined) continue;
    const text = await services.checks.readUpload(file);
    if (text === null) return { text: texts.text('setup.problems.file'), hint: texts.text('setup.problems.fileHint') };
    const typed = name.slice(0, -fileSuffix.length);
    fields[typed] = `${textField(input, typed)}\n${text}`;
  }
  return { ...input, fields };
}
