import { milestones, multipliers, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf } from '../../src/core/settings/shown-values.ts';
import { isChecked, selectedValues, textField } from '../../src/discord/commands/input.ts';
import { namedTiers } from '../../src/features/roles/settings.ts';
import { listOf, objectOf, textsOf, withoutUndefined } from '../../src/platform/json.ts';
import {
  editedEntry,
  type Form,
  numberField,
  optionalSelect,
  radios,
  removeBox,
  selectedId,
  shortText,
  toChoices,
  withEntry,
} from './form.ts';

const repetitions = choicesOf('once', 'every');

export const milestone: Form = {
  section: 'rewards',
  paths: ['rewards.milestones'],
  title: ({ setup }) => setup.forms.milestone,
  entries: (value, texts) => listOf(value).map((entry) => milestones.showEntry(entry, texts)),
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
  read(input, { value, entry }) {
    const list = listOf(value('rewards.milestones'));
    if (entry !== null && isChecked(input, 'remove')) return { 'rewards.milestones': list.toSpliced(entry, 1) };
    const votes = numberField(input, 'votes');
    const edited = withoutUndefined({
      ...(input.fields['repeats'] === 'every' ? { everyVotes: votes } : { votes }),
      credits: numberField(input, 'milestoneCredits'),
      role: selectedId(input, 'milestoneRole') ?? undefined,
    });
    return { 'rewards.milestones': withEntry(list, entry, edited) };
  },
};

export const multiplier: Form = {
  section: 'rewards',
  paths: ['rewards.multipliers'],
  title: ({ setup }) => setup.forms.multiplier,
  entries: (value, texts) => listOf(value).map((entry) => multipliers.showEntry(entry, texts)),
  fields(context) {
    const { texts, entry } = context;
    const { fields, hints } = texts.setup;
    const edited = editedEntry(context, 'rewards.multipliers');
    const days = weekdays.map((day) => [day, weekdayName(texts.locale, day)] as const);
    return [
      shortText('factor', fields.factor, edited['factor'] ?? 2, { required: true }),
      {
        ...{ kind: 'checkboxes', name: 'days', label: fields.days, description: hints.days, required: false },
        choices: toChoices(days, entry === null ? ['saturday', 'sunday'] : textsOf(edited['days'])),
      },
      optionalSelect('roles', 'multiplierRole', fields.multiplierRole, edited['role']),
      ...removeBox(context),
    ];
  },
  read(input, { value, entry }) {
    const list = listOf(value('rewards.multipliers'));
    if (entry !== null && isChecked(input, 'remove')) return { 'rewards.multipliers': list.toSpliced(entry, 1) };
    const days = selectedValues(input, 'days');
    const edited = withoutUndefined({
      ...(entry === null ? {} : list[entry]),
      factor: numberField(input, 'factor'),
      days: days.length === 0 || days.length === weekdays.length ? undefined : days,
      role: selectedId(input, 'multiplierRole') ?? undefined,
    });
    return { 'rewards.multipliers': withEntry(list, entry, edited) };
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
    const isRemoved = isChecked(input, 'remove') || role === null;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textField(input, 'tier')]: role } };
  },
};
