import { type JsonObject, listOf, numberOf, objectOf, textOf, textsOf } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import {
  bold,
  channelMention,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  roleMention,
  subtext,
  trustedMarkup,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import type { ValueSource } from '../../config/describe.ts';
import { nameSamples, textsOf as textsOfReply } from '../../src/core/announcements/announcement.ts';
import { styleOf } from '../../src/core/announcements/announcement-style.ts';
import { leaderboardScores } from '../../src/core/ledger/standing.ts';
import { showWindow, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf, isOff, type SettingField } from '../../src/core/settings/setting-spec.ts';
import { calendarOf } from '../../src/core/tally/community.ts';
import { type CommandInput, isChecked, selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { Modal, ModalField, Panel, PanelBlock, Reply, ReplyButton } from '../../src/discord/commands/reply.ts';
import { votePreview } from '../../src/features/announcements/previews.ts';
import { showBoard, showPlaces } from '../../src/features/prizes/settings.ts';
import { namedTiers } from '../../src/features/roles/settings.ts';
import { announcementSettings, type SettingPath, settingAt } from '../../src/features/settings.ts';
import type { UnreadyItem } from '../../src/features/shop/feature.ts';
import { explainIssue } from '../../src/features/shop/parts.ts';
import { maxDescriptionLength, priceText } from '../../src/features/shop/purchase.ts';
import { enteredPrice, freeWord } from '../../src/features/shop/settings.ts';
import type { Texts } from '../../src/texts/texts.ts';
import {
  editedEntry,
  entryForm,
  type Form,
  type FormContext,
  fileField,
  isEntryForm,
  joinForms,
  modalFields,
  readParts,
  removeBox,
  settingsForm,
  textInput,
} from './form.ts';
import {
  type Block,
  channelProblem,
  describeValue,
  displayName,
  type Edit,
  escapedName,
  type ListingView,
  linkButtons,
  notInEffect,
  panel,
  refusing,
  renderProblems,
  type SectionId,
  type SetupView,
  selectBlock,
  settingName,
  showSaved,
} from './view.ts';
import { webhooks } from './webhooks.ts';

export type Answer = Promise<Reply | Panel | Modal> | Reply | Panel | Modal;

/** A subject of `/setup`: settings, and what changes them. */
export interface SetupSection {
  /** In the ids of components, and of its name in the texts. */
  readonly id: SectionId;
  /** Settings of its line in the overview; none for a button without one. */
  readonly summary: readonly SettingPath[];
  /** Opened by buttons and selects in this order, or by what the section adds. */
  readonly forms: readonly Form[];
  /** The settings of this section, in the order in which they are shown. By default those of its forms. */
  readonly paths?: readonly SettingPath[];
  readonly alwaysShown?: readonly SettingPath[];
  /** True if a setting has an effect, so that it is shown. By default all have. */
  isUsed?(view: SetupView, path: SettingPath): boolean;
  /** An introduction above the settings. */
  intro?(texts: Texts): Markup;
  /** Blocks of the section. By default a text with its settings. */
  blocks?(view: ListingView, settings: Markup): readonly Block[];
  /** Renders the section in another way. */
  render?(view: ListingView): Promise<Panel>;
  /** Beside those that open its forms. */
  buttons?(view: SetupView): readonly ReplyButton[];
  /** Step that the first use recommends. */
  step?(view: SetupView): SetupStep;
  /** Actions of components of its own, by their names in `/setup`. */
  readonly actions?: Readonly<Record<string, (view: ListingView) => Answer>>;
}

export interface SetupStep {
  readonly name: string;
  readonly isDone: boolean;
  /** Does it; null for what is done always. */
  readonly button: ReplyButton | null;
}

export function pathsOf({ forms, paths }: SetupSection): readonly SettingPath[] {
  return paths ?? [...new Set(forms.flatMap((form) => form.paths))];
}

/** A subject with its settings, their sources, and what changes them. */
export function renderSection(view: ListingView, section: SetupSection): Panel {
  const { id } = section;
  const { text } = view;
  const settings = renderSettings(view, section);
  return panel(
    'plain',
    escapedName(text(`setup.sections.${id}`)),
    [
      section.intro?.(view.texts) ?? null,
      ...(section.blocks?.(view, settings) ?? [settings]),
      ...notInEffect(view, pathsOf(section)),
      ...listSelects(view, section),
    ],
    [
      ...editButtons(view, section),
      ...(section.buttons?.(view) ?? []),
      ...resetButtons(view, section),
      view.overviewButton,
    ],
  );
}

function renderSettings(view: SetupView, section: SetupSection): Markup {
  const used = pathsOf(section).filter((path) => section.isUsed?.(view, path) ?? true);
  const isOn = (path: SettingPath) => section.alwaysShown?.includes(path) === true || !isOff(view.value(path));
  const off = used.filter((path) => !isOn(path)).map((path) => settingName(path, view.texts));
  const { text } = view;
  // A section of one setting has its name as the title.
  const offText =
    used.length === 1 ? text('setup.values.notSet') : text('setup.values.off', { names: view.texts.list(off) });
  return lines(
    ...used.filter((path) => isOn(path) && boxOf(path) === undefined).map((path) => settingLine(view, path)),
    ...boxLines(view, used.filter(isOn)),
    off.length === 0 ? null : subtext(offText),
  );
}

function boxOf(path: SettingPath): SettingField | undefined {
  return settingAt(path).fields?.find(({ kind }) => kind === 'switch');
}

/** A line for each field of checkboxes with those that are ticked: "What votes show: Voter, Streak". */
function boxLines({ texts }: SetupView, ticked: readonly SettingPath[]): readonly Markup[] {
  const byField = Map.groupBy(ticked, (path) => boxOf(path)?.name);
  return [...byField].flatMap(([field, paths]) => {
    if (field === undefined) return [];
    const names = texts.list(paths.map((path) => settingName(path, texts)));
    return joined([bold(escapedName(texts.text(`setup.fields.${field}`))), names], ': ');
  });
}

function settingLine(view: SetupView, path: SettingPath): Markup {
  const { texts } = view;
  const { value, source } = view.effective(path);
  const name = bold(settingName(path, texts));
  if (path === 'premiumChannelId' && value !== null && value === view.value('announceChannelId')) {
    return joined([name, texts.text('setup.values.sameAsAnnouncements')], ': ');
  }
  const shown = joined([describeValue(path, value, texts), sourceText(source, texts)], ' · ');
  return joined([name, shown], ': ');
}

/** Where a value comes from; null for a default. */
function sourceText(source: ValueSource, { text }: Texts): Markup | null {
  return source === 'default' || source === 'unset' ? null : text(`setup.sources.${source}`);
}

function editButtons(view: SetupView, { forms }: SetupSection): readonly ReplyButton[] {
  return forms.flatMap((form) =>
    form.button === undefined ? [] : view.button(form.button, 'edit', view.editOptions(form), 'primary'),
  );
}

/** The button that takes back what is stored of a section; none if nothing is. */
export function resetButtons(view: SetupView, section: SetupSection): readonly ReplyButton[] {
  const isStored = pathsOf(section).some((path) => view.effective(path).source === 'setup');
  return isStored ? [view.button('reset', 'reset', { s: section.id })] : [];
}

const maxEntries = 24;
export const newEntry = 'new';

function listSelects(view: SetupView, { forms }: SetupSection): PanelBlock[] {
  const { text } = view;
  return forms.flatMap((form) => {
    const { list, paths } = form;
    if (list === undefined) return [];
    const entries = paths.flatMap((path) => list.entries(view.value(path), view.texts));
    const shown = entries
      .slice(0, maxEntries)
      .map((label, index) => ({ label: withoutMarkup(label), value: String(index) }));
    return selectBlock({
      kind: 'choices',
      action: 'entry',
      placeholder: text(`setup.placeholders.${list.placeholder}`),
      options: view.editOptions(form),
      choices: [{ label: text(`setup.choices.${list.add}`), value: newEntry }, ...shown],
    });
  });
}

/** Selects show no markup. */
function withoutMarkup(text: string): string {
  return plainName(text.replaceAll('**', '').replace(/ \+ <@&\d+>| · <@&\d+>|<@&\d+>/g, ' + @'));
}

export const votePanelButton = (view: SetupView): ReplyButton => view.button('votePanel', 'post-panel');

/** Explains the vote panel, with the choice of its channel. @param problem why the chosen one cannot be used */
export function renderPanelChoice(view: SetupView, problem: Markup | null = null): Panel {
  const { text } = view;
  return panel(
    problem === null ? 'plain' : 'bad',
    escapeName(text('setup.buttons.votePanel')),
    [
      lines(problem, text('setup.votePanel.text')),
      selectBlock({ kind: 'channels', action: 'panel-channel', placeholder: text('setup.placeholders.channel') }),
    ],
    [view.overviewButton],
  );
}

/** Has the panel posted in the chosen channel, if the bot can post there. */
export async function postVotePanel(view: SetupView): Promise<Panel> {
  const { input, text, services, guildId } = view;
  const [channelId] = input.values;
  if (channelId === undefined) return renderPanelChoice(view);
  const problem = await channelProblem(view, channelId, escapeName(text('setup.buttons.votePanel')));
  if (problem !== null) return refusing(renderPanelChoice(view, renderProblems([problem])), [problem]);
  await services.postVotePanel(guildId, channelId);
  return panel(
    'good',
    escapeName(text('setup.buttons.votePanel')),
    [text('setup.votePanel.posted', { channel: channelMention(channelId) })],
    [view.overviewButton],
  );
}

const itemVariants = ['role', 'codes', 'manual'] as const;
export type ItemVariant = (typeof itemVariants)[number];

function variantOf(item: JsonObject): ItemVariant {
  if (item['role'] !== undefined) return 'role';
  return item['manual'] === true ? 'manual' : 'codes';
}

function variantIn(context: FormContext): ItemVariant {
  if (context.entry !== null) return variantOf(editedEntry(context, 'shop'));
  return itemVariants.find((each) => each === context.variant) ?? 'manual';
}

const rentals = ['1h', '12h', '1d', '2d', '3d', '7d', '14d', '30d', '60d', '90d', '180d', '365d'];

const item = entryForm({
  name: 'item',
  path: 'shop',
  fields: (context) => [
    { name: 'itemName', kind: 'text', part: 'name', maxLength: 80, isRequired: true },
    { name: 'price', kind: 'number', part: 'price', hint: 'price', maxLength: 9, isRequired: true },
    ...(variantIn(context) === 'role' ? roleFields : []),
  ],
  more: (context) => (variantIn(context) === 'codes' ? codeFields(context) : reportFields(context)),
  secretFields: ['codes'],
  toParts: ({ price, ...others }) => ({ ...others, price: price === 0 ? freeWord : price }),
  toEntry: (entered, context, input) => {
    const parts: JsonObject = { ...entered, price: enteredPrice(entered['price']) };
    const variant = variantIn(context);
    const codes = textField(input, 'codes')
      .split('\n')
      .map((code) => code.trim())
      .filter((code) => code !== '');
    return {
      id: newId(textOf(parts['name']), listOf(context.value('shop'))),
      ...(variant === 'codes' ? { codeCount: 0 } : {}),
      ...parts,
      ...(codes.length > 0 ? { newCodes: codes } : {}),
      ...(variant === 'manual' ? { manual: true } : {}),
    };
  },
  others: (context, input) =>
    reportFields(context).length === 0 ? {} : { ownerChannelId: selectedValues(input, reportField.name)[0] ?? null },
});

const reportField = { name: 'ownerChannel', kind: 'channels', hint: 'ownerChannel', isRequired: true } as const;

/** The channel for reports, if it is missing: nobody would know of a purchase that the team fulfils. */
function reportFields(context: FormContext): readonly ModalField[] {
  const isNeeded = variantIn(context) === 'manual' && context.value('ownerChannelId') === null;
  return isNeeded ? modalFields([reportField], null, context.texts) : [];
}

const roleFields: readonly SettingField[] = [
  { name: 'itemRole', kind: 'roles', part: 'role', isRequired: true },
  { name: 'itemFor', kind: 'duration', part: 'for', hint: 'itemFor', choices: rentals },
];

function codeFields({ entry, texts }: FormContext): readonly ModalField[] {
  const label = entry === null ? 'codes' : 'newCodes';
  const codes = textInput(texts, label, { hint: label, name: 'codes', multiline: true, required: false });
  return [codes, fileField('codesFile', texts)];
}

/** How many can be sold, and to whom. An item that is gone has no id. */
const limits = entryForm({
  name: 'limits',
  path: 'shop',
  fields: [
    { name: 'stock', kind: 'number', part: 'stock', hint: 'stock', maxLength: 10 },
    { name: 'limit', kind: 'number', part: 'limit', hint: 'stock', maxLength: 10 },
    { name: 'needsRole', kind: 'roles', part: 'needsRole' },
    { name: 'from', kind: 'text', part: 'from', hint: 'localTime', maxLength: 40 },
    { name: 'until', kind: 'text', part: 'until', hint: 'localTime', maxLength: 40 },
  ],
  toParts: ({ from, until, ...others }, context) => ({
    ...others,
    from: toLocalTime(from, context),
    until: toLocalTime(until, context),
  }),
  toEntry: ({ from, until, ...parts }, context) =>
    parts['id'] === undefined
      ? null
      : { ...parts, from: fromLocalTime(from, context), until: fromLocalTime(until, context) },
});

/** The fields of an item that members see beside name and price. */
const look = entryForm({
  name: 'look',
  path: 'shop',
  fields: [
    { name: 'description', kind: 'longText', part: 'description', maxLength: maxDescriptionLength },
    { name: 'emoji', kind: 'text', part: 'emoji', hint: 'emoji', maxLength: 64 },
    { name: 'itemPicture', kind: 'text', part: 'picture', hint: 'itemPicture', maxLength: 500 },
  ],
  toEntry: (parts) => (parts['id'] === undefined ? null : parts),
});

function zoneOf({ value }: FormContext) {
  return calendarOf({ timeZone: textOf(value('timeZone')) || 'UTC' });
}

/** A time of the file as people write it, in the time zone of the community: `2026-12-24 18:00`. */
function toLocalTime(time: unknown, context: FormContext): string | undefined {
  const at = Date.parse(textOf(time));
  if (Number.isNaN(at)) return undefined;
  return new Date(zoneOf(context).toLocal(at)).toISOString().slice(0, 16).replace('T', ' ');
}

/** The time of the file; what is no such time is found when it is saved. */
function fromLocalTime(text: unknown, context: FormContext): unknown {
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?$/.exec(textOf(text)) ?? [];
  const local = Date.parse(`${day}T${time}Z`);
  // The 31st of a shorter month is read as a day of the next one.
  const isDate = !Number.isNaN(local) && new Date(local).toISOString().startsWith(day ?? '');
  return isDate ? new Date(zoneOf(context).fromLocal(local)).toISOString() : text;
}

const maxIdLength = 24;

/** A permanent id made of the name, unique in the shop. */
function newId(name: string, list: readonly JsonObject[]): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const base =
    ascii
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, maxIdLength) || 'item';
  const taken = new Set(list.map(({ id }) => id));
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  return id;
}

const shop: SetupSection = {
  id: 'shop',
  summary: ['shop'],
  forms: [item, look, limits],
  blocks: (view) => renderItems(view, []),
  async render(view) {
    const unready = await view.services.unreadyItems(view.guildId);
    return renderSection(view, { ...shop, blocks: () => renderItems(view, unready) });
  },
  buttons: addButtons,
  step: (view) => ({
    name: view.text('setup.steps.earn'),
    isDone: [itemsOf(view), listOf(view.value('rewards.milestones'))].some(({ length }) => length > 0),
    button: view.button('openShop', 'edit', view.editOptions(item, { variant: 'role' })),
  }),
  actions: {
    item: (view) => renderItem(view, Number(view.input.values[0])),
    'item-up': (view) => moveItem(view, -1),
    'item-down': (view) => moveItem(view, 1),
    remove: confirmRemoval,
    removed: removeItem,
  },
};

function itemsOf(view: SetupView): readonly JsonObject[] {
  return listOf(view.value('shop'));
}

/** Discord: at most 25 choices, and 4,000 characters of text. */
const maxItems = 25;

function renderItems(view: SetupView, unready: readonly UnreadyItem[]): readonly Block[] {
  const { text } = view;
  const { source } = view.effective('shop');
  const items = itemsOf(view).slice(0, maxItems);
  if (items.length === 0) return [text('setup.shop.empty')];
  const choices = items.map((each, index) => ({ label: textOf(each['name']), value: String(index) }));

  const described = items.map((each) => lines(describeItem(view, each), issueOf(view, each, unready)));
  return [
    lines(...described, sourceText(source, view.texts), missingReports(view)),
    selectBlock({
      kind: 'choices',
      action: 'item',
      placeholder: text('setup.placeholders.items'),
      options: view.listingOptions,
      choices,
    }),
  ];
}

/** Why nobody can buy it; null if somebody can. What a channel is missing for is said once, below all items. */
function issueOf({ texts }: SetupView, shown: JsonObject, unready: readonly UnreadyItem[]): Markup | null {
  const found = unready.find(({ item: { id }, issue }) => id === shown['id'] && issue !== 'no_channel');
  if (found === undefined) return null;
  return subtext(joined([markup`⚠️`, ...explainIssue(found.issue, found.role ?? '', texts)], ' '));
}

/** Nobody would know of a purchase that the team fulfils, so it cannot be bought; null if that is not so. */
function missingReports(view: SetupView): Markup | null {
  const { text } = view;
  const isMissing = view.value('ownerChannelId') === null;
  if (!isMissing || itemsOf(view).every((each) => variantOf(each) !== 'manual')) return null;
  const missing = joined([bold(settingName('ownerChannelId', view.texts)), text('setup.values.none')], ': ');
  return subtext(joined([missing, escapedName(text('setup.hints.ownerChannel'))], ' · '));
}

function addButtons(view: SetupView): readonly ReplyButton[] {
  const names = { role: 'addRole', codes: 'addCodes', manual: 'addManual' } as const;
  return [
    ...itemVariants.map((variant) =>
      view.button(names[variant], 'edit', view.editOptions(item, { variant }), 'primary'),
    ),
    ...(missingReports(view) === null ? [] : [view.sectionButton('channels')]),
  ];
}

function describeItem({ text, texts }: SetupView, shown: JsonObject) {
  const name = text('setup.values.item', {
    name: escapeName(textOf(shown['name']), 80),
    price: priceText(numberOf(shown['price']), texts),
  });
  const contents = {
    role: () => roleMention(textOf(shown['role'])),
    codes: () => text('setup.values.stored', { count: numberOf(shown['codeCount']) }),
    manual: () => text('shop.manual'),
  };
  const { needsRole } = shown;
  const needs = isSnowflake(needsRole) ? text('shop.requires', { role: roleMention(needsRole) }) : null;
  return joined([name, contents[variantOf(shown)](), needs], ' · ');
}

async function renderItem(view: ListingView, position: number): Promise<Panel> {
  const opened = itemsOf(view)[position];
  if (opened === undefined) return renderSection(view, shop);
  const removal = { e: position, v: view.community.version };
  const unready = await view.services.unreadyItems(view.guildId);
  return panel(
    'plain',
    escapedName(textOf(opened['name'])),
    [lines(describeItem(view, opened), issueOf(view, opened, unready))],
    [
      view.button('edit', 'edit', view.editOptions(item, { entry: position }), 'primary'),
      view.button('look', 'edit', view.editOptions(look, { entry: position })),
      view.button('limits', 'edit', view.editOptions(limits, { entry: position })),
      position > 0 && view.button('up', 'item-up', removal),
      position < itemsOf(view).length - 1 && view.button('down', 'item-down', removal),
      view.button('remove', 'remove', removal, 'danger'),
      view.sectionButton('shop'),
    ],
  );
}

function confirmRemoval(view: ListingView): Panel {
  const { input, text } = view;
  const removed = itemsOf(view)[Number(input.options['e'])];
  if (removed === undefined) return renderSection(view, shop);
  return panel(
    'bad',
    text('setup.shop.removeTitle', { name: escapedName(textOf(removed['name'])) }),
    [text('setup.shop.remove')],
    [
      view.button('remove', 'removed', input.options, 'danger'),
      view.sectionButton('shop', text('setup.buttons.cancel')),
    ],
  );
}

/** Exchanges an item with the one before or after it: members see them in this order. */
async function moveItem(view: ListingView, by: 1 | -1): Promise<Panel> {
  const items = itemsOf(view);
  const position = Number(view.input.options['e']);
  const [moved, other] = [items[position], items[position + by]];
  if (moved === undefined || other === undefined) return renderSection(view, shop);
  const moving = view.save([['shop', items.with(position, other).with(position + by, moved)]]);
  return showSaved(view, moving, { section: 'shop' });
}

async function removeItem(view: ListingView): Promise<Panel> {
  const items = itemsOf(view);
  const position = Number(view.input.options['e']);
  if (items[position] === undefined) return renderSection(view, shop);
  return showSaved(view, view.save([['shop', items.toSpliced(position, 1)]]), { section: 'shop' });
}

/*
 * The sections of what every community has.
 */

const channelPaths: readonly SettingPath[] = [
  'announceChannelId',
  'premiumChannelId',
  'ownerChannelId',
  'reminderChannelId',
];

const channels: SetupSection = {
  id: 'channels',
  summary: ['announceChannelId'],
  forms: [settingsForm('channels', 'edit', channelPaths)],
  alwaysShown: channelPaths,
  buttons: (view) => [votePanelButton(view)],
};

const cooldown: SetupSection = {
  id: 'cooldown',
  summary: ['cooldownHours'],
  forms: [settingsForm('cooldown', 'edit', ['cooldownHours'])],
  intro: ({ text }) => text('setup.cooldown'),
};

export const credits = settingsForm('credits', 'credits', [
  'rewards.vote',
  'rewards.premium',
  'rewards.whenDenied',
  'rewards.allListings',
  'rewards.firstVote',
]);

const milestone = entryForm({
  name: 'milestone',
  path: 'rewards.milestones',
  list: { placeholder: 'milestones', add: 'addMilestone' },
  fields: [
    { name: 'votes', kind: 'number', part: 'votes', isRequired: true },
    {
      name: 'repeats',
      kind: 'radios',
      part: 'repeats',
      preset: 'once',
      choices: choicesOf('once', 'every', 'week', 'month'),
    },
    { name: 'milestoneCredits', kind: 'number', part: 'credits' },
    { name: 'milestoneRole', kind: 'roles', part: 'role' },
  ],
  toParts: ({ votes, everyVotes, per, ...others }) => ({
    votes: votes ?? everyVotes,
    repeats: per ?? (everyVotes === undefined ? 'once' : 'every'),
    ...others,
  }),
  toEntry: ({ votes, repeats, ...others }) => ({
    [repeats === 'every' ? 'everyVotes' : 'votes']: votes,
    ...((repeats === 'week' || repeats === 'month') && { per: repeats }),
    ...others,
  }),
});

const multiplier = entryForm({
  name: 'multiplier',
  path: 'rewards.multipliers',
  list: { placeholder: 'multipliers', add: 'addMultiplier' },
  fields: [
    { name: 'factor', kind: 'number', part: 'factor', preset: 2, isRequired: true },
    {
      name: 'days',
      kind: 'checkboxes',
      part: 'days',
      hint: 'days',
      preset: ['saturday', 'sunday'],
      choices: ({ locale }) => weekdays.map((day) => [day, weekdayName(locale, day)]),
    },
    { name: 'multiplierRole', kind: 'roles', part: 'role' },
  ],
  toParts: ({ days, ...others }) => ({ days: textsOf(days), ...others }),
  note: ({ from, until }, { locale }) => showWindow([from, until], locale),
  toEntry: ({ days, ...others }) => ({ ...others, ...(isSomeDays(textsOf(days)) && { days }) }),
});

const luck = entryForm({
  name: 'luck',
  path: 'rewards.luck',
  list: { placeholder: 'luck', add: 'addLuck' },
  fields: [
    { name: 'luckName', kind: 'text', part: 'name', maxLength: 40, isRequired: true },
    { name: 'chance', kind: 'number', part: 'chance', hint: 'chance', preset: 0.02, isRequired: true },
    { name: 'luckCredits', kind: 'number', part: 'credits', isRequired: true },
  ],
});

const boards = ['week', 'month'].flatMap((per) => leaderboardScores.map((by) => ({ per, by })));

/** The prizes of a board. Its places are lines of a text; roles of other places than the first are those of the file. */
const prize = entryForm({
  name: 'prize',
  path: 'rewards.prizes',
  note: showPlaces,
  list: { placeholder: 'prizes', add: 'addPrize' },
  fields: [
    {
      name: 'board',
      kind: 'select',
      part: 'board',
      preset: 'month votes',
      isRequired: true,
      choices: (texts) => boards.map(({ per, by }) => [`${per} ${by}`, showBoard(per, by, texts)]),
    },
    { name: 'places', kind: 'longText', part: 'lines', hint: 'places', maxLength: 1_000, isRequired: true },
    { name: 'firstPlaceRole', kind: 'roles', part: 'role', hint: 'firstPlaceRole' },
    { name: 'minVotes', kind: 'number', part: 'minVotes' },
  ],
  toParts: ({ per, by, places, minVotes }) => ({
    ...{ board: `${textOf(per)} ${textOf(by)}`, minVotes, places },
    lines: listOf(places).map(toLine).join('\n'),
    role: listOf(places).find(({ from }) => from === 1)?.['role'],
  }),
  toEntry({ board, lines: entered, role, places, minVotes }) {
    const [per, by] = textOf(board).split(' ');
    const before = listOf(places);
    return {
      ...{ per, by, minVotes },
      places: textOf(entered)
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => toPlace(line, role, before)),
    };
  },
});

function toLine({ from, to = from, credits: paid }: JsonObject): string {
  return `${numberOf(from)}${to === from ? '' : `-${numberOf(to)}`}: ${numberOf(paid)}`;
}

/** The text itself if it is no line of a place, which is found when it is saved. */
function toPlace(line: string, firstRole: unknown, before: readonly JsonObject[]): unknown {
  const [, first, last, paid] = /^\s*#?(\d{1,6})\s*(?:[-–]\s*#?(\d{1,6})\s*)?:\s*(\d{1,9})\s*$/.exec(line) ?? [];
  if (first === undefined) return line;
  const [from, to] = [Number(first), last === undefined || last === first ? undefined : Number(last)];
  const same = before.find((each) => each['from'] === from && (each['to'] ?? from) === (to ?? from));
  const role = from === 1 ? firstRole : same?.['role'];
  return { from, ...(to !== undefined && { to }), credits: Number(paid), ...(role !== undefined && { role }) };
}

/** No day and all days are the same. */
const isSomeDays = ({ length }: readonly string[]) => length > 0 && length < weekdays.length;

/** The section of rewards, without the forms of features. */
const rewards: SetupSection = {
  id: 'rewards',
  summary: ['rewards.vote', 'rewards.multipliers', 'rewards.streak'],
  forms: [credits, settingsForm('streak', 'streak', ['rewards.streak', 'timeZone']), milestone, multiplier, luck],
  alwaysShown: ['rewards.vote'],
  isUsed: (view, path) => path !== 'timeZone' || view.effective(path).source !== 'default',
  buttons: (view) => [view.button('presets', 'step-rewards')],
};

const prizes: SetupSection = {
  id: 'prizes',
  summary: ['rewards.prizes'],
  forms: [prize, settingsForm('raffle', 'raffle')],
  intro: ({ text }) => text('setup.prizes'),
};

const announcements: SetupSection = {
  id: 'announcements',
  summary: ['announcements.mode'],
  forms: [
    settingsForm('style', 'style'),
    settingsForm('text', 'text', [
      'announcements.title',
      'announcements.text',
      'announcements.thumbnail',
      'announcements.language',
    ]),
  ],
  paths: announcementSettings.map(({ path }) => path),
  blocks: (view, settings) => [settings, ...renderPreview(view)],
  /** Settings that replace our own texts and looks are used only if they are set. */
  isUsed: (view, path) =>
    path === 'announcements.every' ? view.value('announcements.mode') === 'digest' : view.value(path) !== null,
};

/** How the announcement of a vote would look, with a sample member and what the rules in effect pay now. */
function renderPreview(view: ListingView): readonly Block[] {
  const { text, texts, clock, listing } = view;
  const { rewards, announcements: settings, timeZone } = listing.inEffect;
  if (settings.mode !== 'each') return [];
  const { reply } = votePreview({
    ...({ listing: listing.name, kind: listing.kind, rewards, timeZone } as const),
    ...{ style: styleOf(settings), texts, buttons: [], now: clock.now() },
    card: { name: displayName(view, listing.name), url: 'https://example.com/', site: listing.site?.name },
  });
  const title = reply.title === undefined ? null : bold(reply.title);
  const shown = nameSamples(lines(text('setup.preview'), title, ...textsOfReply(reply).map(trustedMarkup)));
  return [{ kind: 'separator' }, shown, { kind: 'separator' }];
}

const given = settingsForm('roles', 'edit', ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles']);

const tierFields: readonly SettingField[] = [
  { name: 'tier', kind: 'text', part: 'tier', hint: 'tier', isRequired: true },
  { name: 'tierRole', kind: 'roles', part: 'role' },
];

const tier: Form = {
  name: 'tier',
  paths: ['rewards.premiumRoles'],
  list: { placeholder: 'tiers', add: 'addTier', entries: namedTiers },
  fields(context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const name = editedTier(all, context);
    return [...modalFields(tierFields, { tier: name, role: all[name ?? ''] }, context.texts), ...removeBox(context)];
  },
  read(input, context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const before = editedTier(all, context);
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== before));
    const { tier: name, role } = readParts(tierFields, input, {});
    const isRemoved = isChecked(input, 'remove') || role === undefined;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textOf(name)]: role } };
  },
};

/** The name of the edited one; undefined for a new one. */
function editedTier(all: JsonObject, { entry }: FormContext): string | undefined {
  return entry === null ? undefined : namedTiers(all)[entry];
}

const roles: SetupSection = {
  id: 'roles',
  summary: ['rewards.voterRole'],
  forms: [given, tier],
  isUsed: (view, path) =>
    path !== 'rewards.milestoneRoles' ||
    listOf(view.value('rewards.milestones')).some(({ role }) => role !== undefined),
  step: (view) => ({
    name: view.text('setup.fields.voterRole'),
    isDone: view.value('rewards.voterRole') !== null,
    button: view.button('giveRole', 'edit', view.editOptions(given)),
  }),
};

const guards: SetupSection = {
  id: 'guards',
  summary: ['guards'],
  forms: [settingsForm('guards', 'edit')],
  intro: ({ text }) => text('setup.guards'),
};

const publicPage: SetupSection = {
  id: 'publicPage',
  summary: ['publicPage'],
  forms: [settingsForm('publicPage', 'edit')],
  intro: ({ text }) => text('setup.publicPage'),
  buttons(view) {
    const slug = textOf(objectOf(view.value('publicPage'))['slug']);
    const url = slug === '' || notInEffect(view, ['publicPage']).length > 0 ? null : view.services.publicPage(slug);
    return linkButtons(view.text('setup.buttons.openPage'), url);
  },
};

export const setupSections: readonly SetupSection[] = [
  channels,
  { ...rewards, forms: [...rewards.forms, settingsForm('party', 'party'), settingsForm('gifts', 'gifts')] },
  prizes,
  roles,
  cooldown,
  guards,
  shop,
  announcements,
  publicPage,
  webhooks,
];

/** Null for a forged or outdated one. */
export function sectionOf(id: unknown): SetupSection | null {
  return setupSections.find((each) => each.id === id) ?? null;
}

function findForm(name: unknown): Pick<Edit, 'form' | 'section'> | null {
  const section = setupSections.find(({ forms }) => forms.some((form) => form.name === name));
  const form = section?.forms.find((each) => each.name === name);
  return section && form ? { form, section: section.id } : null;
}

/** The forms of a section that a page has as one: those of its settings, or those of the entries of a list. */
export function formsOf({ forms }: SetupSection, list: string | null): readonly Form[] {
  return forms.filter((form) => isEntryForm(form) === (list !== null) && (list === null || form.paths[0] === list));
}

function findPageForm({ s: id, p: list }: CommandInput['options']): Pick<Edit, 'form' | 'section'> | null {
  const section = sectionOf(id);
  const [first, ...others] = section === null ? [] : formsOf(section, typeof list === 'string' ? list : null);
  return section && first ? { form: joinForms([first, ...others]), section: section.id } : null;
}

/** The edit that a component, modal or page names; null for a forged or outdated one. */
export function editOf({ options }: CommandInput): Edit | null {
  const found = options['f'] === undefined ? findPageForm(options) : findForm(options['f']);
  const entry = Number(options['e'] ?? Number.NaN);
  const isPosition = Number.isInteger(entry) && entry >= 0 && entry < 1_000;
  return found && { ...found, entry: isPosition ? entry : null, variant: String(options['k'] ?? '') || null };
}
