import type { Clock } from '@tallyhook/platform/clock';
import { isEqual } from '@tallyhook/platform/json';
import {
  bold,
  channelMention,
  escapeName,
  escapeText,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  subtext,
  timestamp,
  trustedMarkup,
} from '@tallyhook/platform/texts/markup';
import { type EffectiveValue, unset } from '../../config/describe.ts';
import { operator } from '../../src/core/ledger/correction.ts';
import type { Standings } from '../../src/core/ledger/standing.ts';
import { showLink } from '../../src/core/settings/listing-settings.ts';
import {
  type GivenRole,
  hintText,
  isOff,
  type SettingSpec,
  showValue,
  wouldHavePaid,
} from '../../src/core/settings/setting-spec.ts';
import { linkPath } from '../../src/core/settings/stored-settings.ts';
import { ruleText } from '../../src/core/settings/value-schemas.ts';
import { type CommandInput, selectedValues, textField } from '../../src/discord/commands/command.ts';
import {
  type ActionTarget,
  type Modal,
  type ModalField,
  type OptionValue,
  type Panel,
  type PanelBlock,
  type ReplyButton,
  type ReplySelect,
} from '../../src/discord/commands/reply.ts';
import { explainRoleIssue, type RoleAccess, roleIssue } from '../../src/features/roles/feature.ts';
import type {
  ChangedSetting,
  CommunitySettings,
  ListingSettings,
  RotateResult,
  SaveResult,
  SettingIssue,
  SettingsAuthor,
  SettingsChange,
  SettingsEdit,
  UndoResult,
} from '../../src/features/settings/community.ts';
import type { SetupServices } from '../../src/features/settings/services.ts';
import { findSetting, isCommunityPath, isSecretPath, type SettingPath } from '../../src/features/settings.ts';
import type { TextIn, Texts } from '../../src/texts/texts.ts';
import { type Form, type FormContext, fileSuffix } from './form.ts';

/** Who uses `/setup` where, and what is in effect there. */
export class SetupView {
  readonly input: CommandInput;
  readonly clock: Clock;
  readonly services: SetupServices;
  readonly texts: Texts;
  readonly text: Texts['text'];
  readonly standings: Pick<Standings, 'leaderboard'>;
  readonly guildId: string;
  readonly community: CommunitySettings;
  /** The names of the community's listings on the service, by their configured names, as far as they are known. */
  readonly listingNames: ReadonlyMap<string, string>;
  /** The selected listing, or the first one; null without listings. */
  readonly listing: ListingSettings | null;

  constructor(input: CommandInput, context: SetupContext, read: ReadCommunity) {
    this.input = input;
    this.clock = context.clock;
    this.services = context.services;
    this.texts = context.texts;
    this.text = context.texts.text;
    this.standings = context.standings;
    this.guildId = read.community.guildId;
    this.community = read.community;
    this.listingNames = read.listingNames;
    this.listing = read.listing;
  }

  /** The view of another listing of the community, or of one that was linked just now. */
  of<Listing extends ListingSettings | null>(listing: Listing): SetupView & { readonly listing: Listing } {
    const { community, listingNames } = this;
    return Object.assign(new SetupView(this.input, this, { community, listingNames, listing }), { listing });
  }

  /** Reads the settings again. */
  async refreshed(): Promise<SetupView> {
    return new SetupView(this.input, this, await readCommunity(this.services, this.guildId, this.listing?.name));
  }

  hasListing(): this is ListingView {
    return this.listing !== null;
  }

  /** True if the listing that a component names is linked here. Forged and outdated ones are not. */
  namesListing(): this is ListingView {
    return this.listing !== null && this.listing.name === this.input.options['l'];
  }

  /** @param path of any part of a listing; only settings have values */
  effective(path: string): EffectiveValue {
    const of: { readonly values: Readonly<Partial<Record<string, EffectiveValue>>> } | null = isCommunityPath(path)
      ? this.community
      : this.listing;
    return of?.values[path] ?? unset;
  }

  /** The value in effect, as in the file. */
  readonly value = (path: string): unknown => this.effective(path).value;

  get author(): SettingsAuthor {
    const { userId: authorId, interactionId } = this.input;
    return { guildId: this.guildId, authorId, interactionId };
  }

  /** Changes of settings of the selected listing, or of the community if they are its own. */
  changes(values: readonly PathValue[]): SettingsEdit['changes'] {
    return values.map(([path, value]) => ({
      listing: isCommunityPath(path) ? null : (this.listing?.name ?? null),
      path,
      value,
    }));
  }

  /** Saves values, unless somebody has changed the settings since they were shown. */
  save(values: readonly PathValue[]): Promise<SaveResult> {
    // The version that a form or button shows. Its id can be forged: by default, the present version.
    const version = Number(this.input.options['v'] ?? Number.NaN);
    const basis = Number.isSafeInteger(version) ? version : this.community.version;
    return this.services.settings.save({ ...this.author, basis, changes: this.changes(values) });
  }

  /** The options of a component that name the selected listing. */
  get listingOptions(): Options {
    return this.listing === null ? {} : { l: this.listing.name };
  }

  editOptions(
    { name }: Form,
    { entry = null, variant = null }: Partial<Pick<Edit, 'entry' | 'variant'>> = {},
  ): Options {
    return {
      f: name,
      ...this.listingOptions,
      ...(entry === null ? {} : { e: entry }),
      ...(variant === null ? {} : { k: variant }),
    };
  }

  /** Names what the member has entered in a form, until it can be saved. @param form what tells it from other forms */
  draftKey(...form: readonly unknown[]): string {
    return JSON.stringify([this.guildId, this.input.userId, ...form]);
  }

  /** The context in which a form shows and reads values. @param edit the entry of a list, or its kind */
  formContext({ entry, variant }: Pick<Edit, 'entry' | 'variant'> = { entry: null, variant: null }): FormContext {
    return { texts: this.texts, value: this.value, entry, variant };
  }

  /** A button with a name from the texts. Its action is about the selected listing. */
  button(
    name: TextIn<'setup.buttons'>,
    action: string,
    options: Options = {},
    style: Style = 'secondary',
  ): ReplyButton {
    return button(this.text(`setup.buttons.${name}`), action, { ...this.listingOptions, ...options }, style);
  }

  get overviewButton(): ReplyButton {
    return this.button('overview', 'overview');
  }

  /** The button that leads to a section, with its name unless it has another label. */
  sectionButton(id: SectionId, label: string = this.text(`setup.sections.${id}`)): ReplyButton {
    return button(label, 'section', { ...this.listingOptions, s: id });
  }
}

export interface ListingView extends SetupView {
  readonly listing: ListingSettings;
}

type SetupContext = Pick<SetupView, 'clock' | 'texts' | 'services' | 'standings'>;
type ReadCommunity = Pick<SetupView, 'community' | 'listingNames' | 'listing'>;
type PathValue = readonly [path: SettingPath, value: unknown];

export type SectionId = TextIn<'setup.sections'>;

export interface Edit {
  readonly form: Form;
  readonly section: SectionId;
  /** The position in a list; null for a new entry, or without a list. */
  readonly entry: number | null;
  readonly variant: string | null;
}

const maxNameLength = 80;

/** Reads the settings. A listing that the input names, but that is not of this guild, is not selected. */
export async function openView(input: CommandInput, context: SetupContext, guildId: string): Promise<SetupView> {
  const name = input.action === 'listing' ? input.values[0] : input.options['l'];
  return new SetupView(input, context, await readCommunity(context.services, guildId, name));
}

async function readCommunity(
  { settings, checks }: SetupServices,
  guildId: string,
  selected: unknown,
): Promise<ReadCommunity> {
  const community = await settings.read(guildId);
  const { listings } = community;
  const listing = listings.find(({ name }) => name === selected) ?? listings[0] ?? null;
  return { community, listingNames: await checks.listingNames(listings.map(({ name }) => name)), listing };
}

/** The name of a listing as the service shows it, or else the configured one. External text. */
export function displayName({ listingNames }: Pick<SetupView, 'listingNames'>, name: string): string {
  return listingNames.get(name) ?? name;
}

export function listingTitle(view: Pick<SetupView, 'listingNames' | 'texts'>, { name, kind }: ListingSettings): string {
  return `${displayName(view, name).slice(0, maxNameLength)} (${view.texts.text(`listing.kinds.${kind}`)})`;
}

/** The value of a setting in a line, by its path. @param listingName of the server or bot that is linked */
export function describeValue(path: string, value: unknown, texts: Texts, listingName?: string): Markup {
  const link = { show: (each: unknown) => showLink(each, texts, listingName) };
  return showValue(path === linkPath ? link : findSetting(path), value, texts);
}

/** The name of a setting in the language of the member; the path, which may be imported, of an unknown one. */
export function settingName(path: string, { text, has }: Texts): Markup {
  const [group = '', name = ''] = path.split('.', 2);
  if (group === 'rewards' && has('setup.names.rewards', name)) return text(`setup.names.rewards.${name}`);
  if (group === 'announcements' && has('setup.names.announcements', name))
    return text(`setup.names.announcements.${name}`);
  // A part of a setting has a name if it is secret: that in `shop.vip.codes`.
  const flatName = isSecretPath(path) ? (path.split('.').at(-1) ?? group) : group;
  return has('setup.names', flatName) ? text(`setup.names.${flatName}`) : escapedName(path);
}

type Options = Readonly<Record<string, OptionValue>>;
type Style = 'primary' | 'secondary' | 'success' | 'danger';

export function button(label: string, action: string, options: Options = {}, style: Style = 'secondary'): ReplyButton {
  return { kind: 'action', label, action, options, style };
}

/** A button that leads to a page; none without one. */
export function linkButtons(label: string, url: string | null): readonly ReplyButton[] {
  return url === null ? [] : [{ kind: 'link', label, url }];
}

/** The content of a panel; a text is a block of its own, and null and false are left out. */
export type Block = PanelBlock | Markup | null | false;
type Button = ReplyButton | null | false;

export const buttonBlock = (...buttons: readonly Button[]): PanelBlock => ({
  kind: 'buttons',
  buttons: buttons.filter((each) => each !== null && each !== false),
});
export const selectBlock = (select: ReplySelect): PanelBlock => ({ kind: 'select', select });

export function escapedName(name: string): Markup {
  return escapeName(name, maxNameLength);
}

interface Origin {
  readonly section: SectionId | null;
  readonly edit?: Edit;
}

/** The result of saving: before and after with Undo, or what to fix. */
export async function renderSaved(view: SetupView, result: SaveResult | RotateResult, origin: Origin): Promise<Panel> {
  const { text } = view;
  switch (result.status) {
    case 'saved':
      return renderDone(view, result.change, text('setup.saved.title'), origin);
    case 'unchanged':
      return panel('plain', text('setup.saved.unchanged'), [], backButtons(view, origin));
    case 'invalid':
      return renderUnsaved(view, problemsOf(view, result.issues), origin.edit);
    case 'conflict':
      return renderUnsaved(view, [], origin.edit, [
        text('setup.problems.conflict'),
        ...sinceBlocks(view, result.since),
      ]);
  }
}

/** Waits until it is saved, and shows the result. */
export async function showSaved(
  view: SetupView,
  saving: Promise<SaveResult | RotateResult>,
  origin: Origin,
): Promise<Panel> {
  const result = await saving;
  return renderSaved(await view.refreshed(), result, origin);
}

export async function renderUndone(view: SetupView, result: UndoResult): Promise<Panel> {
  const { text } = view;
  const back = backButtons(view, { section: null });
  switch (result.status) {
    case 'undone':
      return renderDone(view, result.change, text('setup.saved.undoneTitle'), { section: null });
    case 'changed_since':
      return panel(
        'bad',
        text('setup.problems.title'),
        [text('setup.problems.changedSince'), ...sinceBlocks(view, result.since)],
        back,
      );
    case 'already_undone':
      return panel('plain', text('setup.problems.alreadyUndone'), [], back);
    case 'not_found':
      return panel('bad', text('setup.problems.notFound'), [], back);
    case 'invalid': {
      const problems = renderProblems(problemsOf(view, result.issues));
      return panel('bad', text('setup.problems.title'), [problems], back);
    }
  }
}

async function renderDone(view: SetupView, change: SettingsChange, title: Markup, origin: Origin): Promise<Panel> {
  const text = renderChange(change, view);
  const before = change.changes.map(({ listing, path, before: value }) => ({ listing: listing ?? '', path, value }));
  const simulated = await view.services.simulateChange(view.guildId, { before });
  return panel(
    'good',
    title,
    [lines(text, simulated && wouldHavePaid(simulated, view.texts))],
    [view.button('undo', 'undo', { id: change.id }), ...backButtons(view, origin)],
  );
}

/** Nothing was saved. @param again opens what was entered, or an empty form, to be edited again */
export function renderUnsaved(
  view: SetupView,
  problems: readonly Problem[],
  again?: Edit | ActionTarget,
  blocks: readonly Block[] = [renderProblems(problems)],
): Panel {
  const { text } = view;
  const isKept = again !== undefined && 'form' in again;
  const target = isKept ? { action: 'again', options: view.editOptions(again.form, again) } : again;
  const kept = isKept && subtext(text('setup.problems.kept'));
  const edit =
    target !== undefined && button(text('setup.buttons.editAgain'), target.action, target.options, 'primary');
  const answer = panel('bad', text('setup.problems.title'), [...blocks, kept], [edit, view.overviewButton]);
  return refusing(answer, problems);
}

function sinceBlocks(view: SetupView, since: readonly SettingsChange[]): readonly Markup[] {
  return since.slice(-3).map((change) => renderHistoryEntry(change, view));
}

function backButtons(view: SetupView, { section }: Origin): readonly Button[] {
  return [section !== null && view.sectionButton(section), view.overviewButton];
}

export function modal(title: string, action: string, fields: readonly ModalField[], options: Options = {}): Modal {
  return { kind: 'modal', title, action, options, fields };
}

/** A panel with its buttons at the end. */
export function panel(
  tone: Panel['tone'],
  title: Markup,
  blocks: readonly Block[],
  buttons: readonly Button[] = [],
): Panel {
  const shown = [...blocks, buttonBlock(...buttons)].flatMap((block): readonly PanelBlock[] => {
    if (block === null || block === false) return [];
    if (typeof block === 'string') return [{ kind: 'text', text: block }];
    return block.kind === 'buttons' && block.buttons.length === 0 ? [] : [block];
  });
  return { kind: 'panel', tone, title: markup`${title}`, blocks: shown, response: 'update' };
}

const maxChangesShown = 12;
const pageSize = 5;

type ChangeView = Pick<SetupView, 'texts' | 'listingNames'> & {
  readonly community: Pick<SetupView['community'], 'listings'>;
};

/** Text of what a change did, each setting on a line: before → after. */
export function renderChange({ changes }: Pick<SettingsChange, 'changes'>, view: ChangeView): Markup {
  const shown = changes.slice(0, maxChangesShown).map((each) => renderChanged(each, view));
  return lines(...shown, changes.length > maxChangesShown ? markup`…` : null);
}

function renderChanged(change: ChangedSetting, view: ChangeView): Markup {
  const { listing, path, isSecret, before, after } = change;
  const { texts, community } = view;
  const { text } = texts;
  const own = settingName(path, texts);
  const isNamed = community.listings.length > 1 && listing !== null;
  const name = isNamed
    ? text('setup.saved.ofListing', { listing: escapedName(displayName(view, listing)), name: own })
    : own;
  if (isSecret) return text('setup.saved.secretChanged', { name });
  const displayed = listing === null ? undefined : view.listingNames.get(listing);
  const summary = findSetting(path)?.showChange?.(before, after, texts) ?? null;
  if (summary !== null) return isNamed ? joined([name, summary], ': ') : summary;
  const describe = (value: unknown) =>
    value === undefined ? text('setup.values.notSet') : describeValue(path, value, texts, displayed);
  return text('setup.saved.change', { name, before: describe(before), after: describe(after) });
}

function renderHistoryEntry(change: SettingsChange, view: ChangeView): Markup {
  const { text } = view.texts;
  const { at, authorId, undoes, undoneBy } = change;
  const state =
    undoneBy === null ? (undoes === null ? null : text('setup.history.undoes')) : text('setup.history.undone');
  const heading = text('setup.history.line', { time: timestamp(at, 'f'), author: mention(authorId) });
  return lines(bold(state === null ? heading : markup`${heading} · ${state}`), renderChange(change, view));
}

export async function renderHistory(view: SetupView): Promise<Panel> {
  const { services, text, guildId, input } = view;
  const before = Number(input.options['b'] ?? Number.NaN);
  const start = Number.isSafeInteger(before) && before > 0 ? before : null;
  const changes = await services.settings.changes(guildId, { before: start, limit: pageSize + 1 });
  const blocks = changes.slice(0, pageSize).map((change): Block => {
    const shown = renderHistoryEntry(change, view);
    if (change.undoneBy !== null) return shown;
    return { kind: 'section', text: shown, button: view.button('undo', 'undo', { id: change.id }) };
  });
  const last = changes[pageSize - 1];
  return panel('plain', text('setup.history.title'), changes.length === 0 ? [text('setup.history.none')] : blocks, [
    start !== null && view.button('newest', 'history'),
    changes.length > pageSize && last !== undefined && view.button('older', 'history', { b: last.id }),
    view.overviewButton,
  ]);
}

/** Who changes settings where: what they may choose is asked of Discord. */
export interface ChangeSource extends Pick<SetupView, 'texts' | 'guildId'> {
  readonly input: Pick<CommandInput, 'userId' | 'roles' | 'resolved'>;
  readonly services: { readonly checks: Pick<SetupServices['checks'], 'channelsOf' | 'roleAccess'> };
}

/** Permissions without which announcements fail. */
const requiredPermissions: readonly string[] = ['View Channel', 'Send Messages', 'Embed Links'];

/**
 * Why the bot cannot post in a channel that a member chose, or may not, because it is of another server; null if it
 * can. The bot may be in the servers of other owners, and would post in their channels too. @param channelId may be
 * anything
 */
export async function channelProblem(view: ChangeSource, channelId: unknown, label: Markup): Promise<Problem | null> {
  const { input, texts, services, guildId } = view;
  const { text } = texts;
  const own = await services.checks.channelsOf(guildId);
  const selected = typeof channelId === 'string' && Object.hasOwn(input.resolved.channels, channelId);
  if (own === null && !selected)
    return at(label, text('setup.problems.channelsUnknown'), text('setup.problems.rolesUnknownHint'));
  if (typeof channelId !== 'string' || (own !== null && !own.has(channelId))) {
    const unknown = at(label, text('setup.problems.unknownChannel'), text('setup.problems.unknownChannelHint'));
    return { ...unknown, isForeign: true };
  }
  const lacking = (selected && input.resolved.channels[channelId]?.missing) || [];
  const missing = lacking.filter((name) => requiredPermissions.includes(name));
  if (missing.length === 0) return null;
  const permissions = trustedMarkup(texts.list(missing));
  const problem = text('setup.problems.channel', { channel: channelMention(channelId), permissions });
  return at(label, problem, text('setup.problems.channelHint'));
}

/** A setting before and after a change; undefined for one that `/setup` does not store. */
export interface ValueChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** {@link findObjectProblems} of values that are to replace those in effect. */
export function findProblemsOf(view: SetupView, values: readonly (readonly [path: SettingPath, value: unknown])[]) {
  return findObjectProblems(
    view,
    values.map(([path, after]) => ({ path, before: view.value(path), after })),
  );
}

/**
 * Why a change cannot be saved: the bot cannot post in a channel, or give a role, or either is of another server. Every
 * change that can name channels or roles passes here: forms, first steps, imported files, and changes that are undone.
 */
export async function findObjectProblems(
  view: ChangeSource,
  changes: readonly ValueChange[],
): Promise<readonly Problem[]> {
  const channels = changes.filter(
    ({ path, before, after }) => findSetting(path)?.isChannel && !isOff(after) && after !== before,
  );
  const problems = channels.map(({ path, after }) => channelProblem(view, after, settingName(path, view.texts)));
  return [...(await Promise.all(problems)).filter((each) => each !== null), ...(await findRoleProblems(view, changes))];
}

/**
 * The roles that a change names and that were not there before, or not in this way: not those of the operator's file and
 * environment, which `/setup` does not store. `role` is the id; external, so it can be anything.
 */
function newRoles(
  changes: readonly ValueChange[],
  rolesIn: (spec: SettingSpec, value: unknown) => readonly GivenRole[],
) {
  return changes.flatMap(({ path, before, after }) => {
    const spec = findSetting(path);
    if (spec === undefined) return [];
    const earlier = rolesIn(spec, before);
    return rolesIn(spec, after)
      .filter(({ role, entry }) => !isOff(role) && !earlier.some((each) => isEqual(each.entry, entry)))
      .map(({ role }) => ({ path, role }));
  });
}

/** Why the member or the bot may not give the roles of a change, or a role of it is not of this server. */
export async function findRoleProblems(
  view: ChangeSource,
  changes: readonly ValueChange[],
): Promise<readonly Problem[]> {
  const given = newRoles(changes, ({ givenRoles }, value) => givenRoles?.(value) ?? []);
  const required = newRoles(changes, ({ requiredRoles }, value) =>
    (requiredRoles?.(value) ?? []).map((role) => ({ role, entry: role })),
  );
  const [first] = [...given, ...required];
  if (first === undefined) return [];
  const access = await view.services.checks.roleAccess(view.guildId);
  const { input, texts } = view;
  const { text } = texts;
  const nameOf = (path: string) => settingName(path, texts);
  if (access === null)
    return [at(nameOf(first.path), text('setup.problems.rolesUnknown'), text('setup.problems.rolesUnknownHint'))];
  const unknownRole = (path: string): Problem => ({
    ...at(nameOf(path), text('setup.problems.unknownRole'), text('setup.problems.unknownRoleHint')),
    isForeign: true,
  });
  const unknown = required.filter(({ role }) => typeof role !== 'string' || !access.roles.has(role));
  return [
    ...given.flatMap(({ path, role }) => {
      const issue = typeof role === 'string' ? roleIssue(role, access) : 'role_deleted';
      if (typeof role !== 'string' || issue === 'role_deleted') return unknownRole(path);
      if (issue !== null) return at(nameOf(path), ...explainRoleIssue(issue, role, texts));
      // The operator, whose id is none of Discord's, decides for all servers.
      const isBound = input.userId !== operator && input.userId !== access.ownerId;
      if (!isBound || !isAbove(role, input.roles ?? [], access)) return [];
      const problem = text('setup.problems.roleAboveMember', { role: roleMention(role) });
      return at(nameOf(path), problem, text('setup.problems.roleAboveMemberHint'));
    }),
    ...unknown.map(({ path }) => unknownRole(path)),
  ];
}

function at(name: Markup, text: Markup, hint: Markup): Problem {
  return { text: markup`${bold(name)}: ${text}`, hint };
}

function isAbove(roleId: string, memberRoles: readonly string[], { positions }: RoleAccess): boolean {
  const highest = Math.max(0, ...memberRoles.map((id) => positions.get(id) ?? 0));
  return (positions.get(roleId) ?? Number.POSITIVE_INFINITY) > highest;
}

const maxProblems = 12;
const maxProblemLength = 300;

export interface Problem {
  readonly text: Markup;
  /** Null if the text says what to do. */
  readonly hint: Markup | null;
  /** True for an issue about a channel or role of another server, or one that does not exist, which no form offers. */
  readonly isForeign?: true;
}

export function refusing(answer: Panel, problems: readonly Problem[]): Panel {
  return problems.some(({ isForeign }) => isForeign) ? { ...answer, isRefused: true } : answer;
}

export function problemsOf(view: Pick<SetupView, 'texts' | 'listingNames'>, issues: readonly SettingIssue[]) {
  return issues.map((issue) => problemOf(issue, view));
}

/** Why stored values of these settings are not in effect, a line each. */
export function notInEffect(
  view: Pick<SetupView, 'community' | 'texts' | 'listingNames'>,
  paths: readonly string[],
): readonly Markup[] {
  return view.community.issues
    .filter(({ path }) => paths.includes(path))
    .map((issue) => subtext(view.texts.text('setup.main.notStored', { problem: problemOf(issue, view).text })));
}

/** Problem with a value. The reason for a missing key is the operator's, who alone can restore it. */
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

/** The field with the problem: `0.price` of the items is that of the price. The setting without such a field. */
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
