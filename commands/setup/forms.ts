import type { CommandInput } from '../../src/discord/commands/input.ts';
import type { OptionValue } from '../../src/discord/commands/reply.ts';
import { item, limits, milestone, multiplier, tier } from './entry-forms.ts';
import { type Form, settingsForm } from './form.ts';
import { listingOptions, type SetupView } from './view.ts';

/** All forms that edit settings, by the names in the ids of their buttons. */
export const forms = {
  channels: settingsForm('channels', 'channels', ['announceChannelId', 'premiumChannelId', 'ownerChannelId']),
  reminders: settingsForm('reminders', 'reminders', ['cooldownHours']),
  credits: settingsForm('rewards', 'credits', [
    'rewards.vote',
    'rewards.premium',
    'rewards.whenDenied',
    'rewards.allListings',
  ]),
  streak: settingsForm('rewards', 'streak', ['rewards.streak', 'timeZone']),
  party: settingsForm('rewards', 'party', ['rewards.party']),
  milestone,
  multiplier,
  roles: settingsForm('roles', 'roles', ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles']),
  tier,
  style: settingsForm('announcements', 'style', [
    'announcements.mode',
    'announcements.every',
    'announcements.colour',
    'announcements.voteButton',
    'announcements.reviews',
    'announcements.milestones',
    'announcements.premium',
    'announcements.party',
    'announcements.lostStreaks',
  ]),
  text: settingsForm('announcements', 'text', [
    'announcements.title',
    'announcements.text',
    'announcements.thumbnail',
    'announcements.language',
    'announcements.avatar',
    'announcements.icon',
    'announcements.streak',
    'announcements.largeCredits',
  ]),
  item,
  limits,
} as const satisfies Record<string, Form>;

export type FormName = keyof typeof forms;

export interface Edit {
  readonly name: FormName;
  /** The position in a list; null for a new entry, or without a list. */
  readonly entry: number | null;
  readonly variant: string | null;
}

export function isFormName(name: unknown): name is FormName {
  return typeof name === 'string' && Object.hasOwn(forms, name);
}

/** The edit that a component or modal names; null for a forged or outdated one. */
export function editOf({ options }: CommandInput): Edit | null {
  const { f: name } = options;
  const entry = Number(options['e'] ?? Number.NaN);
  const isPosition = Number.isInteger(entry) && entry >= 0 && entry < 1_000;
  return isFormName(name)
    ? { name, entry: isPosition ? entry : null, variant: String(options['k'] ?? '') || null }
    : null;
}

export function editOptions(
  view: SetupView,
  { name, entry = null, variant = null }: Pick<Edit, 'name'> & Partial<Edit>,
): Readonly<Record<string, OptionValue>> {
  return {
    f: name,
    ...listingOptions(view),
    ...(entry === null ? {} : { e: entry }),
    ...(variant === null ? {} : { k: variant }),
  };
}
