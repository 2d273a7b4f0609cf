import { type JsonObject, listOf, numberOf, textOf } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { bold, escapeName, joined, lines, type Markup, roleMention, subtext } from '@tallyhook/platform/texts/markup';
import { panel, showSaved } from '../../../commands/setup/results.ts';
import { renderSection, type SetupSection } from '../../../commands/setup/section.ts';
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
} from '../../../commands/setup/view.ts';
import type { Panel, PanelBlock, ReplyButton } from '../../discord/commands/reply.ts';
import { type ItemVariant, item, itemVariants, limits, variantOf } from './setup-forms.ts';

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
    textBlock(lines(...described, source === 'default' ? null : text(`setup.sources.${source}`), missingReports(view))),
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
