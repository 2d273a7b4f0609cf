import { isChecked, selectedValues } from '../../src/discord/commands/input.ts';
import { listOf, objectOf, textsOf, withoutUndefined } from '../../src/platform/json.ts';
import { type weekdays as allWeekdays, weekdayName, weekdays } from './describe-value.ts';
import {
  type Form,
  numberField,
  optionalSelect,
  optionalText,
  radios,
  removeBox,
  selectedId,
  shortText,
  toChoices,
  withEntry,
} from './form.ts';

/** Discord: "Modal", the most fields; a sixth setting of an entry, such as its time window, stays as it is. */
type Weekday = (typeof allWeekdays)[number];

export const credits: Form = {
  section: 'rewards',
  title: ({ setup }) => setup.forms.credits,
  fields: ({ texts: { setup }, value }) => [
    shortText('vote', setup.fields.vote, value('rewards.vote')),
    shortText('premium', setup.fields.premium, value('rewards.premium')),
    shortText('whenDenied', setup.fields.whenDenied, value('rewards.whenDenied')),
    shortText('allListings', setup.fields.allListings, value('rewards.allListings'), {
      description: setup.hints.allListings,
    }),
  ],
  read: (input) => ({
    'rewards.vote': numberField(input, 'vote'),
    'rewards.premium': numberField(input, 'premium'),
    'rewards.whenDenied': numberField(input, 'whenDenied'),
    'rewards.allListings': numberField(input, 'allListings') ?? null,
  }),
};

export const streak: Form = {
  section: 'rewards',
  title: ({ setup }) => setup.forms.streak,
  fields({ texts: { setup }, value }) {
    const { every, credits: paid, forgive } = objectOf(value('rewards.streak'));
    return [
      shortText('streakDays', setup.fields.streakDays, every, { description: setup.hints.off }),
      shortText('streakCredits', setup.fields.streakCredits, paid),
      shortText('forgive', setup.fields.forgive, forgive ?? 1, { description: setup.hints.forgive }),
      shortText('timeZone', setup.fields.timeZone, value('timeZone'), { description: setup.hints.timeZone }),
    ];
  },
  read(input) {
    const every = numberField(input, 'streakDays');
    const rules = {
      every,
      credits: numberField(input, 'streakCredits') ?? 0,
      forgive: numberField(input, 'forgive') ?? 0,
    };
    return { 'rewards.streak': every === undefined ? null : rules, timeZone: optionalText(input, 'timeZone') };
  },
};

export const party: Form = {
  section: 'rewards',
  title: ({ setup }) => setup.forms.party,
  fields({ texts: { setup }, value }) {
    const { goal, per, credits: paid } = objectOf(value('rewards.party'));
    const { fields, choices, hints } = setup;
    const periods = (['day', 'week', 'month'] as const).map((period) => [period, choices[period]] as const);
    return [
      shortText('goal', fields.goal, goal, { description: hints.off }),
      radios('per', fields.per, periods, per ?? 'week'),
      shortText('partyCredits', fields.partyCredits, paid),
    ];
  },
  read(input) {
    const goal = numberField(input, 'goal');
    const rules = { goal, per: input.fields['per'], credits: numberField(input, 'partyCredits') ?? 0 };
    return { 'rewards.party': goal === undefined ? null : rules };
  },
};

export const milestone: Form = {
  section: 'rewards',
  title: ({ setup }) => setup.forms.milestone,
  fields(context) {
    const { fields, choices } = context.texts.setup;
    const edited = context.entry === null ? {} : (listOf(context.value('rewards.milestones'))[context.entry] ?? {});
    const repeats = edited['everyVotes'] === undefined ? 'once' : 'every';
    return [
      shortText('votes', fields.votes, edited['votes'] ?? edited['everyVotes'], { required: true }),
      radios(
        'repeats',
        fields.repeats,
        [
          ['once', choices.once],
          ['every', choices.every],
        ],
        repeats,
      ),
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
  title: ({ setup }) => setup.forms.multiplier,
  fields(context) {
    const { texts, value, entry } = context;
    const { fields, hints } = texts.setup;
    const edited = entry === null ? {} : (listOf(value('rewards.multipliers'))[entry] ?? {});
    const days = weekdays.map((day) => [day, weekdayName(texts.locale, day)] as const);
    const weekend: readonly Weekday[] = ['saturday', 'sunday'];
    return [
      shortText('factor', fields.factor, edited['factor'] ?? 2, { required: true }),
      {
        ...{ kind: 'checkboxes', name: 'days', label: fields.days, description: hints.days, required: false },
        choices: toChoices(days, entry === null ? weekend : textsOf(edited['days'])),
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
