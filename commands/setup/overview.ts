import { bold, joined, lines, type Markup, markup, subtext } from '@tallyhook/platform/texts/markup';
import type { Panel, PanelBlock } from '../../src/discord/commands/reply.ts';
import { setupSections } from '../../src/features/setup-sections.ts';
import { heldBlocks, linkStep } from './link.ts';
import { problemOf } from './problems.ts';
import { panel } from './results.ts';
import type { SetupSection, SetupStep } from './section.ts';
import {
  button,
  buttonBlock,
  describeValue,
  effectiveValue,
  escapedName,
  hasListing,
  type ListingView,
  listingOptions,
  listingTitle,
  type SectionId,
  type SetupView,
  selectBlock,
  textBlock,
} from './view.ts';
import { votePanelButton } from './vote-panel.ts';

/** All subjects, each with its present state and a button. Without a listing: what to do first. */
export async function renderOverview(view: SetupView): Promise<Panel> {
  if (!hasListing(view)) return renderWelcome(view);
  const { community } = view;
  const { text } = view.texts;
  return panel(
    'plain',
    text('setup.main.title'),
    [
      textBlock(text('setup.main.intro')),
      ...(await heldBlocks(view)),
      ...(await renderChecklist(view)),
      ...listingSelect(view),
      sectionBlock(view, 'listing', escapedName(listingTitle(view, view.listing))),
      ...setupSections.map((section) => sectionBlock(view, section.id, summaryOf(view, section))),
      ...community.issues
        .slice(0, 2)
        .map((issue) => textBlock(subtext(text('setup.main.notStored', { problem: problemOf(issue, view).text })))),
    ],
    [
      button(text('setup.buttons.history'), 'history', listingOptions(view)),
      button(text('setup.buttons.export'), 'export'),
      button(text('setup.buttons.import'), 'import', listingOptions(view)),
      button(text('setup.buttons.link'), 'add'),
    ],
  );
}

function sectionBlock(view: ListingView, id: SectionId, summary: Markup): PanelBlock {
  const name = view.texts.text(`setup.sections.${id}`);
  const text = lines(bold(escapedName(name)), summary);
  return { kind: 'section', text, button: button(name, 'section', { ...listingOptions(view), s: id }) };
}

function summaryOf(view: ListingView, { summary }: SetupSection): Markup {
  const { texts } = view;
  const values = summary.map((path) => describeValue(path, effectiveValue(view, path).value, texts));
  const { text } = texts;
  const shown = values.filter((value) => value !== text('setup.values.none'));
  return shown.length === 0 ? text('setup.values.none') : joined(shown, ' · ');
}

function listingSelect(view: ListingView): PanelBlock[] {
  const { community, listing, texts } = view;
  if (community.listings.length < 2) return [];
  const choices = community.listings.map((each) => ({
    label: listingTitle(view, each),
    value: each.name,
    selected: each.name === listing.name,
  }));
  return [
    selectBlock({ kind: 'choices', action: 'listing', placeholder: texts.text('setup.placeholders.listing'), choices }),
  ];
}

/** The first use: links a listing. */
export async function renderWelcome(view: SetupView): Promise<Panel> {
  const { texts, services, community } = view;
  const { text } = texts;
  const unassigned = services.checks.unassignedListings();
  if (unassigned.length > 0) {
    const names = texts.list(unassigned.slice(0, 5).map(escapedName));
    return panel('wait', text('setup.welcome.title'), [textBlock(text('setup.welcome.unassigned', { names }))], []);
  }
  if (!community.canStoreSecrets)
    return panel('wait', text('setup.welcome.title'), [textBlock(text('setup.welcome.needsOperator'))], []);
  const { blocks, ...step } = await linkStep(view);
  const history = community.latestChange === null ? [] : [button(text('setup.buttons.history'), 'history')];
  return { ...panel('plain', text('setup.welcome.title'), blocks, history), ...step };
}

/** What is done and what is not, with a button for each; nothing as soon as everything is. */
async function renderChecklist(view: ListingView): Promise<PanelBlock[]> {
  const items = await checklist(view);
  const left = items.filter(({ isDone }) => !isDone);
  if (left.length === 0) return [];
  const line = ({ name, isDone }: SetupStep): Markup =>
    joined([isDone ? markup`✅` : markup`⬜`, escapedName(name)], ' ');
  const title = bold(view.texts.text('setup.main.done', { done: items.length - left.length, total: items.length }));
  return [textBlock(lines(title, ...items.map(line))), buttonBlock(...left.flatMap((each) => each.button ?? []))];
}

async function checklist(view: ListingView): Promise<readonly SetupStep[]> {
  const { text } = view.texts;
  const options = listingOptions(view);
  return [
    { name: text('setup.sections.listing'), isDone: true, button: null },
    {
      name: text('setup.buttons.tests'),
      isDone: await isReceiving(view),
      button: button(text('setup.buttons.tests'), 'test', options),
    },
    {
      name: text('setup.fields.announceChannel'),
      isDone: effectiveValue(view, 'announceChannelId').value !== null,
      button: button(text('setup.placeholders.channel'), 'step-channel', options),
    },
    ...setupSections.flatMap(({ step }) => step?.(view) ?? []),
    {
      name: text('setup.buttons.votePanel'),
      isDone: await view.services.hasVotePanel(view.guildId),
      button: votePanelButton(view),
    },
  ];
}

/** A listing from which nothing has arrived lately receives votes if the only listing of a community has voters. */
async function isReceiving(view: ListingView): Promise<boolean> {
  const { services, guildId, community, listing, standings, clock } = view;
  if ((await services.settings.arrivedSince(guildId, listing.name, 0)) !== null) return true;
  if (community.listings.length > 1) return false;
  const voters = { period: 'all', by: 'votes', limit: 1, offset: 0, userId: null } as const;
  return (await standings.leaderboard(voters, clock.now())).total > 0;
}
