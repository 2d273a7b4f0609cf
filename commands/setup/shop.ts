import { type JsonObject, listOf, numberOf, textOf } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { bold, escapeName, joined, lines, type Markup, roleMention, subtext } from '@tallyhook/platform/texts/markup';
import { hintText, type SettingField } from '../../src/core/settings/setting-spec.ts';
import { selectedValues, textField } from '../../src/discord/commands/input.ts';
import type { ModalField, Panel, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import { editedEntry, entryForm, type FormContext, fileField, modalFields } from './form.ts';
import { panel, showSaved } from './results.ts';
import { renderSection, type SetupSection, sourceText } from './section.ts';
import {
  authorOf,
  basisOf,
  button,
  editOptions,
  effectiveValue,
  escapedName,
  type ListingView,
  listingOptions,
  type SetupView,
  selectBlock,
  settingName,
  textBlock,
  toChanges,
} from './view.ts';

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

/** How long a buyer can have a role. */
const rentals = ['1h', '12h', '1d', '2d', '3d', '7d', '14d', '30d', '60d', '90d', '180d', '365d'];

/** Name, price and what the buyer gets. */
const item = entryForm({
  name: 'item',
  path: 'shop',
  fields: (context) => [
    { name: 'itemName', kind: 'text', part: 'name', maxLength: 80, isRequired: true },
    { name: 'price', kind: 'number', part: 'price', maxLength: 9, isRequired: true },
    ...(variantIn(context) === 'role' ? roleFields : []),
  ],
  more: (context) => (variantIn(context) === 'codes' ? codeFields(context) : reportFields(context)),
  secretFields: ['codes'],
  toEntry: (parts, context, input) => {
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
  const { text } = texts;
  const name = entry === null ? 'codes' : 'newCodes';
  const [label, description] = [text(`setup.fields.${name}`), hintText(name, texts)];
  return [
    { kind: 'text', name: 'codes', label, multiline: true, description, required: false },
    fileField('codes', texts),
  ];
}

/** How many can be sold, and to whom. An item that is gone has no id. */
const limits = entryForm({
  name: 'limits',
  path: 'shop',
  fields: [
    { name: 'stock', kind: 'number', part: 'stock', hint: 'stock', maxLength: 10 },
    { name: 'needsRole', kind: 'roles', part: 'needsRole' },
  ],
  toEntry: (parts) => (parts['id'] === undefined ? null : parts),
});

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

/** The items, with what adds one and a select that opens one. */
export const shop: SetupSection = {
  id: 'shop',
  summary: ['shop'],
  forms: [item, limits],
  blocks: renderItems,
  buttons: addButtons,
  step: (view) => ({
    name: view.texts.text('setup.steps.earn'),
    isDone: [itemsOf(view), listOf(effectiveValue(view, 'rewards.milestones').value)].some(({ length }) => length > 0),
    button: button(view.texts.text('setup.buttons.openShop'), 'edit', editOptions(view, item, { variant: 'role' })),
  }),
  actions: {
    item: (view) => renderItem(view, Number(view.input.values[0])),
    remove: confirmRemoval,
    removed: removeItem,
  },
};

function itemsOf(view: SetupView): readonly JsonObject[] {
  return listOf(effectiveValue(view, 'shop').value);
}

/** Discord: at most 25 choices, and 4,000 characters of text. */
const maxItems = 25;

function renderItems(view: SetupView): readonly PanelBlock[] {
  const { text } = view.texts;
  const { source } = effectiveValue(view, 'shop');
  const items = itemsOf(view).slice(0, maxItems);
  if (items.length === 0) return [textBlock(text('setup.shop.empty'))];
  const choices = items.map((each, index) => ({ label: textOf(each['name']), value: String(index) }));

  const described = items.map((each) => describeItem(view, each));
  return [
    textBlock(lines(...described, sourceText(source, view.texts), missingReports(view))),
    selectBlock({
      kind: 'choices',
      action: 'item',
      placeholder: text('setup.placeholders.items'),
      options: listingOptions(view),
      choices,
    }),
  ];
}

/** Nobody would know of a purchase that the team fulfils, so it cannot be bought; null if that is not so. */
function missingReports(view: SetupView): Markup | null {
  const { text } = view.texts;
  const isMissing = effectiveValue(view, 'ownerChannelId').value === null;
  if (!isMissing || itemsOf(view).every((each) => variantOf(each) !== 'manual')) return null;
  const missing = joined([bold(settingName('ownerChannelId', view.texts)), text('setup.values.none')], ': ');
  return subtext(joined([missing, escapedName(text('setup.hints.ownerChannel'))], ' · '));
}

function addButtons(view: SetupView): readonly ReplyButton[] {
  const { text } = view.texts;
  const labels: Readonly<Record<ItemVariant, string>> = {
    role: text('setup.buttons.addRole'),
    codes: text('setup.buttons.addCodes'),
    manual: text('setup.buttons.addManual'),
  };
  const channels = button(view.texts.text('setup.sections.channels'), 'section', {
    ...listingOptions(view),
    s: 'channels',
  });
  return [
    ...itemVariants.map((variant) => button(labels[variant], 'edit', editOptions(view, item, { variant }), 'primary')),
    ...(missingReports(view) === null ? [] : [channels]),
  ];
}

function describeItem({ texts }: SetupView, shown: JsonObject) {
  const { text } = texts;
  const name = text('setup.values.item', {
    name: escapeName(textOf(shown['name']), 80),
    price: text('parts.credits', { count: numberOf(shown['price']) }),
  });
  const contents = {
    role: () => roleMention(textOf(shown['role'])),
    codes: () => text('setup.values.stored', { count: numberOf(shown['codeCount']) }),
    manual: () => texts.text('shop.manual'),
  };
  const needs = isSnowflake(shown['needsRole'])
    ? texts.text('shop.requires', { role: roleMention(shown['needsRole']) })
    : null;
  return joined([name, contents[variantOf(shown)](), needs], ' · ');
}

function renderItem(view: ListingView, position: number): Panel {
  const { text } = view.texts;
  const opened = itemsOf(view)[position];
  if (opened === undefined) return renderSection(view, shop);
  const removal = { ...listingOptions(view), e: position, v: view.community.version };
  return panel(
    'plain',
    escapedName(textOf(opened['name'])),
    [textBlock(describeItem(view, opened))],
    [
      button(text('setup.buttons.edit'), 'edit', editOptions(view, item, { entry: position }), 'primary'),
      button(text('setup.buttons.limits'), 'edit', editOptions(view, limits, { entry: position })),
      button(text('setup.buttons.remove'), 'remove', removal, 'danger'),
      button(text('setup.sections.shop'), 'section', { ...listingOptions(view), s: 'shop' }),
    ],
  );
}

function confirmRemoval(view: ListingView): Panel {
  const { input, texts } = view;
  const { text } = texts;
  const removed = itemsOf(view)[Number(input.options['e'])];
  if (removed === undefined) return renderSection(view, shop);
  return panel(
    'bad',
    text('setup.shop.removeTitle', { name: escapedName(textOf(removed['name'])) }),
    [textBlock(text('setup.shop.remove'))],
    [
      button(text('setup.buttons.remove'), 'removed', { ...input.options }, 'danger'),
      button(text('setup.buttons.cancel'), 'section', { ...listingOptions(view), s: 'shop' }),
    ],
  );
}

async function removeItem(view: ListingView): Promise<Panel> {
  const items = itemsOf(view);
  const position = Number(view.input.options['e']);
  if (items[position] === undefined) return renderSection(view, shop);
  const changes = toChanges(view, [['shop', items.toSpliced(position, 1)]]);
  const saving = { ...authorOf(view), basis: basisOf(view), changes };
  return showSaved(view, view.services.settings.save(saving), { section: 'shop' });
}
