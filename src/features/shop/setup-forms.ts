import {
  editedEntry,
  type Form,
  type FormContext,
  fileField,
  numberField,
  optionalSelect,
  selectedId,
  selectOf,
  shortText,
  withEntry,
} from '../../../commands/setup/form.ts';
import { durationChoices } from '../../core/settings/field-choices.ts';
import { textField } from '../../discord/commands/input.ts';
import type { ModalField } from '../../discord/commands/reply.ts';
import { type JsonObject, listOf, textOf, withoutUndefined } from '../../platform/json.ts';

export const itemVariants = ['role', 'codes', 'manual'] as const;
export type ItemVariant = (typeof itemVariants)[number];

export function variantOf(item: JsonObject): ItemVariant {
  if (item['role'] !== undefined) return 'role';
  return item['manual'] === true ? 'manual' : 'codes';
}

function variantIn(context: FormContext): ItemVariant {
  if (context.entry !== null) return variantOf(editedEntry(context, 'shop'));
  return itemVariants.find((each) => each === context.variant) ?? 'manual';
}

/** Name, price and what the buyer gets. */
export const item: Form = {
  name: 'item',
  paths: ['shop'],
  secretFields: ['codes'],
  fields(context) {
    const { fields } = context.texts.setup;
    const edited = editedEntry(context, 'shop');
    return [
      shortText('itemName', fields.itemName, edited['name'], { maxLength: 80, required: true }),
      shortText('price', fields.price, edited['price'], { maxLength: 9, required: true }),
      ...contentFields(context, edited),
    ];
  },
  read(input, context) {
    const before = editedEntry(context, 'shop');
    const name = textField(input, 'itemName');
    const variant = variantIn(context);
    const codes = textField(input, 'codes')
      .split('\n')
      .map((code) => code.trim())
      .filter((code) => code !== '');
    return withEntry(input, context, 'shop', {
      ...before,
      id: before['id'] ?? newId(name, listOf(context.value('shop'))),
      name,
      price: numberField(input, 'price'),
      ...(variant === 'role' ? { role: selectedId(input, 'itemRole'), for: selectedId(input, 'itemFor') } : {}),
      ...(variant === 'codes' && codes.length > 0 ? { newCodes: codes } : {}),
      ...(variant === 'manual' ? { manual: true } : {}),
    });
  },
};

/** How long a buyer can have a role. */
const rentals = ['1h', '12h', '1d', '2d', '3d', '7d', '14d', '30d', '60d', '90d', '180d', '365d'];

function contentFields(context: FormContext, edited: JsonObject): readonly ModalField[] {
  const { fields, hints } = context.texts.setup;
  const isNew = context.entry === null;
  switch (variantIn(context)) {
    case 'role':
      return [
        {
          kind: 'roles',
          name: 'itemRole',
          label: fields.itemRole,
          selected: typeof edited['role'] === 'string' ? [edited['role']] : [],
        },
        selectOf(
          'itemFor',
          fields.itemFor,
          durationChoices(rentals, textOf(edited['for']), context.texts),
          edited['for'],
          hints.itemFor,
        ),
      ];
    case 'codes':
      return [
        {
          kind: 'text',
          name: 'codes',
          label: isNew ? fields.codes : fields.newCodes,
          multiline: true,
          description: isNew ? hints.codes : hints.newCodes,
          required: false,
        },
        fileField('codes', context.texts),
      ];
    case 'manual':
      return [];
  }
}

/** How many can be sold, and to whom. */
export const limits: Form = {
  name: 'limits',
  paths: ['shop'],
  fields(context) {
    const { fields, hints } = context.texts.setup;
    const { stock, needsRole } = editedEntry(context, 'shop');
    return [
      shortText('stock', fields.stock, stock, { description: hints.stock, maxLength: 10 }),
      optionalSelect('roles', 'needsRole', fields.needsRole, needsRole),
    ];
  },
  read(input, context) {
    const list = listOf(context.value('shop'));
    if (context.entry === null || context.entry >= list.length) return {};
    const edited = withoutUndefined({
      ...editedEntry(context, 'shop'),
      stock: numberField(input, 'stock'),
      needsRole: selectedId(input, 'needsRole'),
    });
    return { shop: list.with(context.entry, edited) };
  },
};

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
