import { type JsonObject, listOf, objectOf, textOf, textsOf } from '@tallyhook/platform/json';
import { bold, lines, trustedMarkup } from '@tallyhook/platform/texts/markup';
import { styleOf } from '../../src/core/announcements/announcement-style.ts';
import { nameSamples, textsOf as textsOfReply } from '../../src/core/announcements/preview.ts';
import { showMilestone, showMultiplier, weekdayName, weekdays } from '../../src/core/settings/reward-settings.ts';
import { choicesOf, type SettingField } from '../../src/core/settings/setting-spec.ts';
import { type CommandInput, isChecked } from '../../src/discord/commands/input.ts';
import type { PanelBlock } from '../../src/discord/commands/reply.ts';
import { votePreview } from '../../src/features/announcements/previews.ts';
import { announcementSettings } from '../../src/features/announcements/read-settings.ts';
import { namedTiers } from '../../src/features/roles/settings.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { entryForm, type Form, type FormContext, modalFields, readParts, removeBox, settingsForm } from './form.ts';
import type { SetupSection } from './section.ts';
import { shop } from './shop.ts';
import { button, displayName, type Edit, editOptions, effectiveValue, type ListingView, textBlock } from './view.ts';
import { votePanelButton } from './vote-panel.ts';

/*
 * The sections of what every community has.
 */

const channelPaths: readonly SettingPath[] = ['announceChannelId', 'premiumChannelId', 'ownerChannelId'];

const channels: SetupSection = {
  id: 'channels',
  summary: ['announceChannelId'],
  forms: [settingsForm('channels', 'edit', channelPaths)],
  alwaysShown: channelPaths,
  buttons: (view) => [votePanelButton(view)],
};

const cooldown: SetupSection = {
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
const rewards: SetupSection = {
  id: 'rewards',
  summary: ['rewards.vote', 'rewards.multipliers', 'rewards.streak'],
  forms: [credits, settingsForm('streak', 'streak', ['rewards.streak', 'timeZone']), milestone, multiplier],
  alwaysShown: ['rewards.vote'],
  isUsed: (view, path) => path !== 'timeZone' || effectiveValue(view, path).source !== 'default',
};

/** What is announced, and how, with an example. */
const announcements: SetupSection = {
  id: 'announcements',
  summary: ['announcements.mode'],
  forms: [
    settingsForm('style', 'style'),
    settingsForm('text', 'text', [
      'announcements.title',
      'announcements.text',
      'announcements.thumbnail',
      'announcements.language',
    ]),
  ],
  paths: announcementSettings.map(({ path }) => path),
  blocks: (view, settings) => [settings, ...renderPreview(view)],
  /** What replaces our own texts and looks only if it is set. */
  isUsed: (view, path) =>
    path === 'announcements.every'
      ? effectiveValue(view, 'announcements.mode').value === 'digest'
      : effectiveValue(view, path).value !== null,
};

/** How the announcement of a vote would look, with a sample member and what the rules in effect pay now. */
function renderPreview({ texts, clock, listing, ...view }: ListingView): PanelBlock[] {
  const { rewards, announcements: settings, timeZone } = listing.inEffect;
  if (settings.mode !== 'each') return [];
  const { reply } = votePreview({
    ...({ listing: listing.name, kind: listing.kind, rewards, timeZone } as const),
    ...{ style: styleOf(settings), texts, buttons: [], now: clock.now() },
    card: { name: displayName(view, listing.name), url: 'https://example.com/', site: listing.site?.name },
  });
  const title = reply.title === undefined ? null : bold(reply.title);
  const shown = nameSamples(lines(texts.text('setup.preview'), title, ...textsOfReply(reply).map(trustedMarkup)));
  return [{ kind: 'separator' }, textBlock(shown), { kind: 'separator' }];
}

const given = settingsForm('roles', 'edit', ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles']);

const tierFields: readonly SettingField[] = [
  { name: 'tier', kind: 'text', part: 'tier', hint: 'tier', isRequired: true },
  { name: 'tierRole', kind: 'roles', part: 'role' },
];

const tier: Form = {
  name: 'tier',
  paths: ['rewards.premiumRoles'],
  list: { placeholder: 'tiers', add: 'addTier', entries: namedTiers },
  fields(context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const name = editedTier(all, context);
    return [...modalFields(tierFields, { tier: name, role: all[name ?? ''] }, context.texts), ...removeBox(context)];
  },
  read(input, context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const before = editedTier(all, context);
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== before));
    const { tier: name, role } = readParts(tierFields, input, {});
    const isRemoved = isChecked(input, 'remove') || role === undefined;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textOf(name)]: role } };
  },
};

/** The name of the edited one; undefined for a new one. */
function editedTier(all: JsonObject, { entry }: FormContext): string | undefined {
  return entry === null ? undefined : namedTiers(all)[entry];
}

/** The roles that votes and premium give. */
const roles: SetupSection = {
  id: 'roles',
  summary: ['rewards.voterRole'],
  forms: [given, tier],
  isUsed: (view, path) =>
    path !== 'rewards.milestoneRoles' ||
    listOf(effectiveValue(view, 'rewards.milestones').value).some(({ role }) => role !== undefined),
  step: (view) => ({
    name: view.texts.text('setup.fields.voterRole'),
    isDone: effectiveValue(view, 'rewards.voterRole').value !== null,
    button: button(view.texts.text('setup.buttons.giveRole'), 'edit', editOptions(view, given)),
  }),
};

/** The sections of `/setup`, in the order of its overview. */
export const setupSections: readonly SetupSection[] = [
  channels,
  { ...rewards, forms: [...rewards.forms, settingsForm('party', 'party')] },
  roles,
  cooldown,
  shop,
  announcements,
];

/** Null for a forged or outdated one. */
export function sectionOf(id: unknown): SetupSection | null {
  return setupSections.find((each) => each.id === id) ?? null;
}

/** A form with its section, by the name in the ids of its components. */
export function findForm(name: unknown): Pick<Edit, 'form' | 'section'> | null {
  const section = setupSections.find(({ forms }) => forms.some((form) => form.name === name));
  const form = section?.forms.find((each) => each.name === name);
  return section && form ? { form, section: section.id } : null;
}

/** The edit that a component or modal names; null for a forged or outdated one. */
export function editOf({ options }: CommandInput): Edit | null {
  const found = findForm(options['f']);
  const entry = Number(options['e'] ?? Number.NaN);
  const isPosition = Number.isInteger(entry) && entry >= 0 && entry < 1_000;
  return found && { ...found, entry: isPosition ? entry : null, variant: String(options['k'] ?? '') || null };
}
