import { showMilestone, showMultiplier, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf } from '../../src/core/settings/shown-values.ts';
import { selectedValues } from '../../src/discord/commands/input.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { listOf, textsOf } from '../../src/platform/json.ts';
import {
  editedEntry,
  type Form,
  numberField,
  optionalSelect,
  radios,
  removeBox,
  selectedId,
  settingsForm,
  shortText,
  toChoices,
  withEntry,
} from './form.ts';
import type { SetupSection } from './section.ts';
import { effectiveValue, textBlock } from './view.ts';
import { votePanelButton } from './vote-panel.ts';

/*
 * The sections of what every community has.
 */

const channelPaths: readonly SettingPath[] = ['announceChannelId', 'premiumChannelId', 'ownerChannelId'];

export const channels: SetupSection = {
  id: 'channels',
  summary: ['announceChannelId'],
  forms: [settingsForm('channels', 'edit', channelPaths)],
  alwaysShown: channelPaths,
  buttons: (view) => [votePanelButton(view)],
};

export const cooldown: SetupSection = {
  id: 'cooldown',
  summary: ['cooldownHours'],
  forms: [settingsForm('cooldown', 'edit', ['cooldownHours'])],
  blocks: ({ texts }, settings) => [textBlock(texts.setup.cooldown), settings],
};

export const credits = settingsForm('credits', 'credits', [
  'rewards.vote',
  'rewards.premium',
  'rewards.whenDenied',
  'rewards.allListings',
]);

const repetitions = choicesOf('once', 'every');

const milestone: Form = {
  name: 'milestone',
  paths: ['rewards.milestones'],
  list: {
    placeholder: 'milestones',
    add: 'addMilestone',
    entries: (value, texts) => listOf(value).map((entry) => showMilestone(entry, texts)),
  },
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

const multiplier: Form = {
  name: 'multiplier',
  paths: ['rewards.multipliers'],
  list: {
    placeholder: 'multipliers',
    add: 'addMultiplier',
    entries: (value, texts) => listOf(value).map((entry) => showMultiplier(entry, texts)),
  },
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

/** Without the forms of features. */
export const rewards: SetupSection = {
  id: 'rewards',
  summary: ['rewards.vote', 'rewards.multipliers', 'rewards.streak'],
  forms: [credits, settingsForm('streak', 'streak', ['rewards.streak', 'timeZone']), milestone, multiplier],
  alwaysShown: ['rewards.vote'],
  isUsed: (view, path) => path !== 'timeZone' || effectiveValue(view, path).source !== 'default',
};
