import type { PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import { listOf } from '../../src/platform/json.ts';
import { bold, joined, lines, type Markup, markup } from '../../src/texts/markup.ts';
import { editOptions } from './forms.ts';
import {
  button,
  buttonBlock,
  effectiveValue,
  escapedName,
  type ListingView,
  listingOptions,
  textBlock,
} from './view.ts';
import { votePanelButton } from './vote-panel.ts';

/** A step to a community that votes are rewarded in. */
interface ChecklistItem {
  readonly name: string;
  readonly isDone: boolean;
  /** Does it; null for what is done always. */
  readonly button: ReplyButton | null;
}

/** What is done and what is not, with a button for each; nothing as soon as everything is. */
export async function renderChecklist(view: ListingView): Promise<PanelBlock[]> {
  const items = await checklist(view);
  const left = items.filter(({ isDone }) => !isDone);
  if (left.length === 0) return [];
  const line = ({ name, isDone }: ChecklistItem): Markup =>
    joined([isDone ? markup`✅` : markup`⬜`, escapedName(name)], ' ');
  const title = bold(view.texts.setup.main.done(items.length - left.length, items.length));
  return [textBlock(lines(title, ...items.map(line))), buttonBlock(...left.flatMap((each) => each.button ?? []))];
}

async function checklist(view: ListingView): Promise<readonly ChecklistItem[]> {
  const { buttons, sections, fields, placeholders, choices } = view.texts.setup;
  const options = listingOptions(view);
  const isSet = (path: Parameters<typeof effectiveValue>[1]) => effectiveValue(view, path).value !== null;
  const edit = (label: string, opened: Parameters<typeof editOptions>[1]) =>
    button(label, 'edit', editOptions(view, opened));
  const hasEntries = (path: 'shop' | 'rewards.milestones') => listOf(effectiveValue(view, path).value).length > 0;
  return [
    { name: sections.listing, isDone: true, button: null },
    { name: buttons.tests, isDone: await isReceiving(view), button: button(buttons.tests, 'test', options) },
    {
      name: fields.announceChannel,
      isDone: isSet('announceChannelId'),
      button: button(placeholders.channel, 'step-channel', options),
    },
    { name: fields.voterRole, isDone: isSet('rewards.voterRole'), button: edit(buttons.giveRole, { name: 'roles' }) },
    {
      name: `${sections.shop}, ${choices.milestones}`,
      isDone: hasEntries('shop') || hasEntries('rewards.milestones'),
      button: edit(buttons.openShop, { name: 'item', variant: 'role' }),
    },
    {
      name: buttons.votePanel,
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
