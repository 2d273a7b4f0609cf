import type { Panel, PanelBlock, ReplyButton, SelectChoice } from '../../src/discord/commands/reply.ts';
import { listOf, objectOf } from '../../src/platform/json.ts';
import { plainName } from '../../src/platform/truncate.ts';
import { bold, joined, lines, type Markup } from '../../src/texts/markup.ts';
import { describeMilestone, describeMultiplier, describeValue } from './describe-value.ts';
import { editOptions } from './edit-options.ts';
import { type SectionId, sectionIds } from './form.ts';
import type { FormName } from './forms.ts';
import { renderListing } from './listing-section.ts';
import { renderPreview } from './preview.ts';
import { panel } from './results.ts';
import { namedTiers } from './role-forms.ts';
import { settingName } from './setting-name.ts';
import { renderShopSection } from './shop-section.ts';
import {
  button,
  effectiveValue,
  escapedName,
  listingOptions,
  type SettingPath,
  type SetupView,
  textBlock,
} from './view.ts';

type Plain = Exclude<SectionId, 'listing' | 'shop'>;

/** The settings of each section. */
export const sectionPaths: Readonly<Record<Plain, readonly SettingPath[]>> = {
  channels: ['announceChannelId', 'premiumChannelId', 'ownerChannelId'],
  rewards: [
    ...(['vote', 'premium', 'whenDenied', 'allListings', 'streak'] as const).map((name) => `rewards.${name}` as const),
    'timeZone',
    ...(['milestones', 'multipliers', 'party'] as const).map((name) => `rewards.${name}` as const),
  ],
  roles: ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles'],
  reminders: ['cooldownHours'],
  announcements: (['mode', 'every', 'title', 'text', 'colour', 'thumbnail', 'voteButton', 'reviews'] as const)
    .map((name): SettingPath => `announcements.${name}`)
    .concat(
      (['milestones', 'premium', 'party', 'lostStreaks', 'language'] as const).map(
        (name): SettingPath => `announcements.${name}`,
      ),
    ),
};

export function sectionOf(value: unknown): SectionId | null {
  return sectionIds.find((each) => each === value) ?? null;
}

/** A subject with its settings, their sources, and what changes them. */
export function renderSection(view: SetupView, section: SectionId): Panel {
  if (section === 'listing') return renderListing(view);
  if (section === 'shop') return renderShopSection(view);
  const { texts } = view;
  const { buttons, sections, reminders } = texts.setup;
  const paths = sectionPaths[section];
  // What replaces our own texts and looks is listed only if it is set.
  const isShown = (path: SettingPath) => section !== 'announcements' || effectiveValue(view, path).value !== null;
  const isStored = paths.some((path) => effectiveValue(view, path).source === 'setup');
  return panel(
    'plain',
    escapedName(sections[section]),
    [
      ...(section === 'reminders' ? [textBlock(reminders)] : []),
      textBlock(lines(...paths.filter(isShown).map((path) => settingLine(view, path)))),
      ...(section === 'announcements' ? renderPreview(view) : []),
      ...listSelects(view, section),
    ],
    [
      ...editButtons(view, section),
      ...(isStored ? [button(buttons.reset, 'reset', { ...listingOptions(view), s: section })] : []),
      button(buttons.overview, 'overview', listingOptions(view)),
    ],
  );
}

export function settingLine(view: SetupView, path: SettingPath): Markup {
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
  const edit = (label: string, name: FormName) =>
    button(label, 'edit', editOptions(view, { name, entry: null, variant: null }), 'primary');
  switch (section) {
    case 'rewards':
      return [edit(buttons.credits, 'credits'), edit(buttons.streak, 'streak'), edit(buttons.party, 'party')];
    case 'announcements':
      return [edit(buttons.style, 'style'), edit(buttons.text, 'text')];
    default:
      return [edit(buttons.edit, section)];
  }
}

/** Selects that open the form of an entry, or of a new one. */
function listSelects(view: SetupView, section: Plain): PanelBlock[] {
  const { texts } = view;
  const { placeholders, choices } = texts.setup;
  if (section === 'rewards') {
    return [
      entrySelect(view, 'milestone', placeholders.milestones, choices.addMilestone, [
        ...listOf(effectiveValue(view, 'rewards.milestones').value).map((each) => describeMilestone(each, texts)),
      ]),
      entrySelect(view, 'multiplier', placeholders.multipliers, choices.addMultiplier, [
        ...listOf(effectiveValue(view, 'rewards.multipliers').value).map((each) => describeMultiplier(each, texts)),
      ]),
    ];
  }
  if (section !== 'roles') return [];
  const tiers = namedTiers(objectOf(effectiveValue(view, 'rewards.premiumRoles').value));
  return [entrySelect(view, 'tier', placeholders.tiers, choices.addTier, tiers)];
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
  return {
    kind: 'select',
    select: {
      ...{ kind: 'choices', action: 'entry', placeholder, options: { f: name, ...listingOptions(view) } },
      choices: [{ label: addLabel, value: newEntry }, ...choices],
    },
  };
}

/** Selects show no markup. */
function withoutMarkup(text: string): string {
  return plainName(text.replaceAll('**', '').replace(/ \+ <@&\d+>| · <@&\d+>|<@&\d+>/g, ' + @'));
}
