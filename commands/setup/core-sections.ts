import { listOf, textsOf } from '@tallyhook/platform/json';
import { showMilestone, showMultiplier, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf } from '../../src/core/settings/setting-spec.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { entryForm } from './entry-form.ts';
import { settingsForm } from './form.ts';
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
  blocks: ({ texts }, settings) => [textBlock(texts.text('setup.cooldown')), settings],
};

export const credits = settingsForm('credits', 'credits', [
  'rewards.vote',
  'rewards.premium',
  'rewards.whenDenied',
  'rewards.allListings',
]);

const milestone = entryForm({
  name: 'milestone',
  path: 'rewards.milestones',
  list: {
    placeholder: 'milestones',
    add: 'addMilestone',
    entries: (value, texts) => listOf(value).map((entry) => showMilestone(entry, texts)),
  },
  fields: [
    { name: 'votes', kind: 'number', part: 'votes', isRequired: true },
    { name: 'repeats', kind: 'radios', part: 'repeats', preset: 'once', choices: choicesOf('once', 'every') },
    { name: 'milestoneCredits', kind: 'number', part: 'credits' },
    { name: 'milestoneRole', kind: 'roles', part: 'role' },
  ],
  toParts: ({ votes, everyVotes, ...others }) => ({
    votes: votes ?? everyVotes,
    repeats: everyVotes === undefined ? 'once' : 'every',
    ...others,
  }),
  toEntry: ({ votes, repeats, ...others }) => ({ [repeats === 'every' ? 'everyVotes' : 'votes']: votes, ...others }),
});

const multiplier = entryForm({
  name: 'multiplier',
  path: 'rewards.multipliers',
  list: {
    placeholder: 'multipliers',
    add: 'addMultiplier',
    entries: (value, texts) => listOf(value).map((entry) => showMultiplier(entry, texts)),
  },
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
  toEntry: ({ days, ...others }) => ({ ...others, ...(isSomeDays(textsOf(days)) && { days }) }),
});

/** No day and all days are the same. */
const isSomeDays = ({ length }: readonly string[]) => length > 0 && length < weekdays.length;

/** Without the forms of features. */
export const rewards: SetupSection = {
  id: 'rewards',
  summary: ['rewards.vote', 'rewards.multipliers', 'rewards.streak'],
  forms: [credits, settingsForm('streak', 'streak', ['rewards.streak', 'timeZone']), milestone, multiplier],
  alwaysShown: ['rewards.vote'],
  isUsed: (view, path) => path !== 'timeZone' || effectiveValue(view, path).source !== 'default',
};
