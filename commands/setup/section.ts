import type { Panel, PanelBlock, ReplyButton, SelectChoice } from '../../src/discord/commands/reply.ts';
import { type SettingPath, settings } from '../../src/features/settings.ts';
import { hour } from '../../src/platform/durations.ts';
import { listOf, textOf } from '../../src/platform/json.ts';
import { plainName } from '../../src/platform/truncate.ts';
import { bold, joined, lines, type Markup, markup, mention, subtext, timestamp } from '../../src/texts/markup.ts';
import { type PlaceholderName, parseTemplate, renderTemplate } from '../../src/texts/template.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { isOff } from './edit.ts';
import { type Form, type SectionId, sectionIds } from './form.ts';
import { editOptions, type FormName, forms } from './forms.ts';
import { renderListing } from './listing-section.ts';
import { panel } from './results.ts';
import { renderShopSection } from './shop-section.ts';
import {
  button,
  describeValue,
  displayName,
  effectiveValue,
  escapedName,
  type ListingView,
  listingOptions,
  type SetupView,
  selectBlock,
  settingName,
  textBlock,
} from './view.ts';
import { votePanelButton } from './vote-panel.ts';

type Plain = Exclude<SectionId, 'listing' | 'shop'>;
type SetupTexts = Texts['setup'];

/** A part of a section: a button that opens a form, or a select that opens the form of an entry of a list. */
type Part =
  | { readonly form: FormName; readonly button: keyof SetupTexts['buttons'] }
  | {
      readonly form: FormName;
      readonly placeholder: keyof SetupTexts['placeholders'];
      readonly add: keyof SetupTexts['choices'];
    };

const parts: Readonly<Record<Plain, readonly Part[]>> = {
  channels: [{ form: 'channels', button: 'edit' }],
  rewards: [
    { form: 'credits', button: 'credits' },
    { form: 'streak', button: 'streak' },
    { form: 'milestone', placeholder: 'milestones', add: 'addMilestone' },
    { form: 'multiplier', placeholder: 'multipliers', add: 'addMultiplier' },
    { form: 'party', button: 'party' },
  ],
  roles: [
    { form: 'roles', button: 'edit' },
    { form: 'tier', placeholder: 'tiers', add: 'addTier' },
  ],
  reminders: [{ form: 'reminders', button: 'edit' }],
  announcements: [
    { form: 'style', button: 'style' },
    { form: 'text', button: 'text' },
  ],
};

/** The settings of a section: those of its forms. Announcements are in the order of the file. */
export function sectionPaths(section: Plain): readonly SettingPath[] {
  const paths = new Set(parts[section].flatMap(({ form }) => forms[form].paths));
  return section === 'announcements' ? settings.map(({ path }) => path).filter((path) => paths.has(path)) : [...paths];
}

export function sectionOf(value: unknown): SectionId | null {
  return sectionIds.find((each) => each === value) ?? null;
}

/** A subject with its settings, their sources, and what changes them. */
export function renderSection(view: ListingView, section: SectionId): Panel {
  if (section === 'listing') return renderListing(view);
  if (section === 'shop') return renderShopSection(view);
  const { texts } = view;
  const { buttons, sections, reminders } = texts.setup;
  const paths = sectionPaths(section);
  const isStored = paths.some((path) => effectiveValue(view, path).source === 'setup');
  return panel(
    'plain',
    escapedName(sections[section]),
    [
      ...(section === 'reminders' ? [textBlock(reminders)] : []),
      textBlock(renderSettings(view, section, paths)),
      ...(section === 'announcements' ? renderPreview(view) : []),
      ...listSelects(view, section),
    ],
    [
      ...editButtons(view, section),
      ...(section === 'channels' ? [votePanelButton(view)] : []),
      ...(isStored ? [button(buttons.reset, 'reset', { ...listingOptions(view), s: section })] : []),
      button(buttons.overview, 'overview', listingOptions(view)),
    ],
  );
}

/** Those that are shown even if they are off. */
const mainPaths: readonly SettingPath[] = ['rewards.vote', 'announcements.mode', 'cooldownHours'];

/** A line for each that is on, and the names of the others. */
function renderSettings(view: SetupView, section: Plain, paths: readonly SettingPath[]): Markup {
  const used = paths.filter((path) => isUsed(view, path));
  const isOn = (path: SettingPath) =>
    section === 'channels' || mainPaths.includes(path) || !isOff(effectiveValue(view, path).value);
  const off = used.filter((path) => !isOn(path)).map((path) => settingName(path, view.texts));
  return lines(
    ...used.filter(isOn).map((path) => settingLine(view, path)),
    off.length === 0 ? null : subtext(view.texts.setup.values.off(joined(off, ', '))),
  );
}

/** Whether the setting has an effect: what replaces our own texts and looks only if it is set. */
function isUsed(view: SetupView, path: SettingPath): boolean {
  const settingValue = (other: SettingPath) => effectiveValue(view, other).value;
  switch (path) {
    case 'announcements.every':
      return settingValue('announcements.mode') === 'digest';
    case 'rewards.milestoneRoles':
      return listOf(settingValue('rewards.milestones')).some(({ role }) => role !== undefined);
    case 'timeZone':
      return effectiveValue(view, path).source !== 'default';
    default:
      return !path.startsWith('announcements.') || settingValue(path) !== null;
  }
}

function settingLine(view: SetupView, path: SettingPath): Markup {
  const { texts } = view;
  const { value, source } = effectiveValue(view, path);
  const name = bold(settingName(path, texts));
  if (path === 'premiumChannelId' && value !== null && value === effectiveValue(view, 'announceChannelId').value) {
    return joined([name, texts.setup.values.sameAsAnnouncements], ': ');
  }
  const shown = joined(
    [describeValue(path, value, texts), source === 'default' ? null : texts.setup.sources[source]],
    ' · ',
  );
  return joined([name, shown], ': ');
}

function editButtons(view: SetupView, section: Plain): ReplyButton[] {
  const { buttons } = view.texts.setup;
  return parts[section].flatMap((part) =>
    'button' in part ? button(buttons[part.button], 'edit', editOptions(view, { name: part.form }), 'primary') : [],
  );
}

/** Selects that open the form of an entry, or of a new one. */
function listSelects(view: SetupView, section: Plain): PanelBlock[] {
  const { placeholders, choices } = view.texts.setup;
  return parts[section].flatMap((part) => {
    if (!('add' in part)) return [];
    const form: Form = forms[part.form];
    const entries = form.paths.flatMap((path) => form.entries?.(effectiveValue(view, path).value, view.texts) ?? []);
    return entrySelect(view, part.form, placeholders[part.placeholder], choices[part.add], entries);
  });
}

const maxEntries = 24;
export const newEntry = 'new';

function entrySelect(
  view: SetupView,
  name: FormName,
  placeholder: string,
  addLabel: string,
  entries: readonly string[],
): PanelBlock {
  const choices: SelectChoice[] = entries
    .slice(0, maxEntries)
    .map((label, index) => ({ label: withoutMarkup(label), value: String(index) }));
  return selectBlock({
    kind: 'choices',
    action: 'entry',
    placeholder,
    options: { f: name, ...listingOptions(view) },
    choices: [{ label: addLabel, value: newEntry }, ...choices],
  });
}

/** Selects show no markup. */
function withoutMarkup(text: string): string {
  return plainName(text.replaceAll('**', '').replace(/ \+ <@&\d+>| · <@&\d+>|<@&\d+>/g, ' + @'));
}

const sample = { credits: 10, balance: 120, votes: 12, streak: 7 };

/** How the announcement of a vote of the member would look. */
function renderPreview(view: ListingView): PanelBlock[] {
  const { texts, clock, input, listing } = view;
  if (effectiveValue(view, 'announcements.mode').value !== 'each') return [];
  const { announcement, number } = texts;
  const now = clock.now();
  const name = escapedName(displayName(view, listing.name));
  const empty = markup``;
  const values: Readonly<Record<PlaceholderName, Markup>> = {
    mention: mention(input.userId),
    listing: name,
    site: escapedName(listing.site?.name ?? '…'),
    credits: number(sample.credits),
    balance: number(sample.balance),
    votes: number(sample.votes),
    streak: number(sample.streak),
    next: timestamp(now + 12 * hour, 'R'),
    time: timestamp(now, 'f'),
    reason: empty,
    bonuses: empty,
    roles: empty,
    url: markup`https://…`,
  };
  const own = (path: 'announcements.title' | 'announcements.text') => {
    const template = textOf(effectiveValue(view, path).value);
    return template === '' ? null : renderTemplate(parseTemplate(template), values);
  };
  const title = own('announcements.title') ?? announcement.titles.vote;
  const credits = announcement.credits(sample.credits);
  const isLarge = effectiveValue(view, 'announcements.largeCredits').value === true;
  const text =
    own('announcements.text') ??
    lines(announcement.voted(mention(input.userId), name), isLarge ? markup`## ${credits}` : credits);
  return [{ kind: 'separator' }, textBlock(lines(texts.setup.preview, bold(title), text)), { kind: 'separator' }];
}
