import { type JsonObject, listOf, textOf } from '@tallyhook/platform/json';
import { editedEntry, entryForm } from '../../../commands/setup/entry-form.ts';
import { type FormContext, fileField, modalFields } from '../../../commands/setup/form.ts';
import { hintText, type SettingField } from '../../core/settings/setting-spec.ts';
import { selectedValues, textField } from '../../discord/commands/input.ts';
import type { ModalField } from '../../discord/commands/reply.ts';

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

/** How long a buyer can have a role. */
const rentals = ['1h', '12h', '1d', '2d', '3d', '7d', '14d', '30d', '60d', '90d', '180d', '365d'];

/** Name, price and what the buyer gets. */
export const item = entryForm({
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
export const limits = entryForm({
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
