import type { Panel } from '../../src/discord/commands/reply.ts';
import { type JsonObject, listOf, numberOf, textOf } from '../../src/platform/json.ts';
import { isSnowflake } from '../../src/platform/snowflake.ts';
import { escapeName, joined, lines, roleMention } from '../../src/texts/markup.ts';
import { type ItemVariant, itemVariants, variantOf } from './entry-forms.ts';
import { editOptions } from './forms.ts';
import { panel } from './results.ts';
import { button, effectiveValue, escapedName, listingOptions, type SetupView, selectBlock, textBlock } from './view.ts';

/** Discord: at most 25 choices, and 4,000 characters of text. */
const maxItems = 25;

/** The items of the shop, with what adds one and a select that opens one. */
export function renderShopSection(view: SetupView): Panel {
  const { texts } = view;
  const { buttons, sections, shop, sources, placeholders } = texts.setup;
  const { value, source } = effectiveValue(view, 'shop');
  const items = listOf(value);
  const labels: Readonly<Record<ItemVariant, string>> = {
    role: buttons.addRole,
    codes: buttons.addCodes,
    manual: buttons.addManual,
  };
  const shown = items.slice(0, maxItems);
  const select = selectBlock({
    kind: 'choices',
    action: 'item',
    placeholder: placeholders.items,
    options: listingOptions(view),
    choices: shown.map((item, index) => ({ label: textOf(item['name']), value: String(index) })),
  });
  return panel(
    'plain',
    escapedName(sections.shop),
    [
      textBlock(
        items.length === 0
          ? shop.empty
          : lines(...shown.map((item) => describeItem(view, item)), source === 'default' ? null : sources[source]),
      ),
      ...(items.length === 0 ? [] : [select]),
    ],
    [
      ...itemVariants.map((variant) =>
        button(labels[variant], 'edit', editOptions(view, { name: 'item', variant }), 'primary'),
      ),
      ...(source === 'setup' ? [button(buttons.reset, 'reset', { ...listingOptions(view), s: 'shop' })] : []),
      button(buttons.overview, 'overview', listingOptions(view)),
    ],
  );
}

function describeItem({ texts }: SetupView, item: JsonObject) {
  const { values } = texts.setup;
  const name = values.item(escapeName(textOf(item['name']), 80), numberOf(item['price']));
  const contents = {
    role: () => roleMention(textOf(item['role'])),
    codes: () => values.stored(numberOf(item['codeCount'])),
    manual: () => texts.shop.manual,
  };
  const needs = isSnowflake(item['needsRole']) ? texts.shop.requires(roleMention(item['needsRole'])) : null;
  return joined([name, contents[variantOf(item)](), needs], ' · ');
}

export function renderItem(view: SetupView, position: number): Panel {
  const { buttons, sections } = view.texts.setup;
  const item = listOf(effectiveValue(view, 'shop').value)[position];
  if (item === undefined) return renderShopSection(view);
  const options = { ...listingOptions(view), e: position };
  const edit = (name: 'item' | 'limits') => editOptions(view, { name, entry: position });
  return panel(
    'plain',
    escapedName(textOf(item['name'])),
    [textBlock(describeItem(view, item))],
    [
      button(buttons.edit, 'edit', edit('item'), 'primary'),
      button(buttons.limits, 'edit', edit('limits')),
      button(buttons.remove, 'remove', { ...options, v: view.community.version }, 'danger'),
      button(sections.shop, 'section', { ...listingOptions(view), s: 'shop' }),
    ],
  );
}
