import { durationChoices } from '../../src/core/settings/field-choices.ts';
import { showMilestone, showMultiplier, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf } from '../../src/core/settings/shown-values.ts';
import { isChecked, selectedValues, textField } from '../../src/discord/commands/input.ts';
import type { ModalField } from '../../src/discord/commands/reply.ts';
import { namedTiers } from '../../src/features/roles/settings.ts';
import { type JsonObject, listOf, objectOf, textOf, textsOf, withoutUndefined } from '../../src/platform/json.ts';
import {
  editedEntry,
  type Form,
  type FormContext,
  fileField,
  numberField,
  optionalSelect,
  radios,
  removeBox,
  selectedId,
  selectOf,
  shortText,
  toChoices,
  withEntry,
} from './form.ts';

const repetitions = choicesOf('once', 'every');

export const milestone: Form = {
  section: 'rewards',
  paths: ['rewards.milestones'],
  title: ({ setup }) => setup.forms.milestone,
  entries: (value, texts) => listOf(value).map((entry) => showMilestone(entry, texts)),
  fields(context) {
    const { fields } = context.texts.setup;
    const edited = editedEntry(context, 'rewards.milestones');
    const repeats = edited['everyVotes'] === undefined ? 'once' : 'every';
    return [
      shortText('votes', fields.votes, edited['votes'] ?? edited['everyVotes'], { required: true }),
      radios('repeats', fields.repeats, repetitions(context.texts), repeats),
      shortText('milestoneCredits', fields.milestoneCredits, edited['credits']),
      optionalSelect('roles', 'milestoneRole', fields.milestoneRole, edited['role']),
      ...removeBox(context),
    ];
  },
  read(input, context) {
    const votes = numberField(input, 'votes');
    return withEntry(input, context, 'rewards.milestones', {
      ...(input.fields['repeats'] === 'every' ? { everyVotes: votes } : { votes }),
      credits: numberField(input, 'milestoneCredits'),
      role: selectedId(input, 'milestoneRole'),
    });
  },
};

export const multiplier: Form = {
  section: 'rewards',
  paths: ['rewards.multipliers'],
  title: ({ setup }) => setup.forms.multiplier,
  entries: (value, texts) => listOf(value).map((entry) => showMultiplier(entry, texts)),
  fields(context) {
    const { texts, entry } = context;
    const { fields, hints } = texts.setup;
    const edited = editedEntry(context, 'rewards.multipliers');
    const days = weekdays.map((day) => [day, weekdayName(texts.locale, day)] as const);
    return [
      shortText('factor', fields.factor, edited['factor'] ?? 2, { required: true }),
      {
        kind: 'checkboxes',
        name: 'days',
        label: fields.days,
        description: hints.days,
        required: false,
        choices: toChoices(days, entry === null ? ['saturday', 'sunday'] : textsOf(edited['days'])),
      },
      optionalSelect('roles', 'multiplierRole', fields.multiplierRole, edited['role']),
      ...removeBox(context),
    ];
  },
  read(input, context) {
    const days = selectedValues(input, 'days');
    return withEntry(input, context, 'rewards.multipliers', {
      ...editedEntry(context, 'rewards.multipliers'),
      factor: numberField(input, 'factor'),
      days: days.length === 0 || days.length === weekdays.length ? undefined : days,
      role: selectedId(input, 'multiplierRole'),
    });
  },
};

export const tier: Form = {
  section: 'roles',
  paths: ['rewards.premiumRoles'],
  title: ({ setup }) => setup.forms.tier,
  entries: namedTiers,
  fields(context) {
    const { fields, hints } = context.texts.setup;
    const value = context.value('rewards.premiumRoles');
    const name = context.entry === null ? undefined : namedTiers(value)[context.entry];
    const role = name === undefined ? undefined : objectOf(value)[name];
    return [
      shortText('tier', fields.tier, name, { description: hints.tier, required: true }),
      optionalSelect('roles', 'tierRole', fields.tierRole, role),
      ...removeBox(context),
    ];
  },
  read(input, { value, entry }) {
    const all = objectOf(value('rewards.premiumRoles'));
    const before = entry === null ? undefined : namedTiers(all)[entry];
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== before));
    const role = selectedId(input, 'tierRole');
    const isRemoved = isChecked(input, 'remove') || role === undefined;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textField(input, 'tier')]: role } };
  },
};

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
  section: 'shop',
  paths: ['shop'],
  title: ({ setup }) => setup.forms.item,
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
  section: 'shop',
  paths: ['shop'],
  title: ({ setup }) => setup.forms.limits,
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
