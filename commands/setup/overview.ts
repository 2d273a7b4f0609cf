import type { Panel, PanelBlock } from '../../src/discord/commands/reply.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { bold, joined, lines, type Markup, subtext } from '../../src/texts/markup.ts';
import { renderChecklist } from './checklist.ts';
import { type SectionId, sectionIds } from './form.ts';
import { linkStep } from './link.ts';
import { panel, problemOf } from './results.ts';
import {
  button,
  describeValue,
  effectiveValue,
  escapedName,
  hasListing,
  type ListingView,
  listingOptions,
  listingTitle,
  type SetupView,
  selectBlock,
  textBlock,
} from './view.ts';

/** The settings that stand for a section in the overview. */
const summaries: Readonly<Record<Exclude<SectionId, 'listing'>, readonly SettingPath[]>> = {
  channels: ['announceChannelId'],
  rewards: ['rewards.vote', 'rewards.multipliers', 'rewards.streak'],
  roles: ['rewards.voterRole'],
  reminders: ['cooldownHours'],
  shop: ['shop'],
  announcements: ['announcements.mode'],
};

/** All subjects, each with its present state and a button. Without a listing: what to do first. */
export async function renderOverview(view: SetupView): Promise<Panel> {
  if (!hasListing(view)) return renderWelcome(view);
  const { community } = view;
  const { main, buttons, sections } = view.texts.setup;
  return panel(
    'plain',
    main.title,
    [
      textBlock(main.intro),
      ...(await renderChecklist(view)),
      ...listingSelect(view),
      ...sectionIds.map(
        (section): PanelBlock => ({
          kind: 'section',
          text: lines(bold(escapedName(sections[section])), summaryOf(view, section)),
          button: button(sections[section], 'section', { ...listingOptions(view), s: section }),
        }),
      ),
      ...community.issues.slice(0, 2).map((issue) => textBlock(subtext(main.notStored(problemOf(issue, view).text)))),
    ],
    [
      button(buttons.history, 'history', listingOptions(view)),
      button(buttons.export, 'export'),
      button(buttons.import, 'import', listingOptions(view)),
      button(buttons.link, 'add'),
    ],
  );
}

function summaryOf(view: ListingView, section: SectionId): Markup {
  const { texts, listing } = view;
  if (section === 'listing') return escapedName(listingTitle(view, listing));
  const values = summaries[section].map((path) => describeValue(path, effectiveValue(view, path).value, texts));
  const { none } = texts.setup.values;
  const shown = values.filter((value) => value !== none);
  return shown.length === 0 ? none : joined(shown, ' · ');
}

function listingSelect(view: ListingView): PanelBlock[] {
  const { community, listing, texts } = view;
  if (community.listings.length < 2) return [];
  const choices = community.listings.map((each) => ({
    label: listingTitle(view, each),
    value: each.name,
    selected: each.name === listing.name,
  }));
  return [selectBlock({ kind: 'choices', action: 'listing', placeholder: texts.setup.placeholders.listing, choices })];
}

/** The first use: leads to the form that links a listing. */
export async function renderWelcome(view: SetupView): Promise<Panel> {
  const { texts, services, community } = view;
  const { welcome, connect, buttons } = texts.setup;
  const unassigned = services.checks.unassignedListings();
  if (unassigned.length > 0) {
    const names = joined(unassigned.slice(0, 5).map(escapedName), ', ');
    return panel('wait', welcome.title, [textBlock(welcome.unassigned(names))], []);
  }
  if (!community.canStoreSecrets) return panel('wait', welcome.title, [textBlock(welcome.needsOperator)], []);
  const { blocks, ...step } = await linkStep(view);
  const hint = step.later === undefined ? [] : [textBlock(connect.hint)];
  const shown = [textBlock(welcome.text), ...hint, ...blocks];
  return { ...panel('plain', welcome.title, shown, [button(buttons.history, 'history')]), ...step };
}
