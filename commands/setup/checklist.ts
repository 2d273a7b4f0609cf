import type { PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import type { ListingSettings } from '../../src/features/setup/community.ts';
import { listOf } from '../../src/platform/json.ts';
import { bold, escapeName, joined, lines, type Markup, markup } from '../../src/texts/markup.ts';
import { editOptions } from './forms.ts';
import {
  button,
  buttonBlock,
  effectiveValue,
  listingOptions,
  maxNameLength,
  type SetupView,
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
export async function renderChecklist(view: SetupView, listing: ListingSettings): Promise<PanelBlock[]> {
  const items = await checklist(view, listing);
  const left = items.filter(({ isDone }) => !isDone);
  if (left.length === 0) return [];
  const line = ({ name, isDone }: ChecklistItem): Markup =>
    joined([isDone ? markup`✅` : markup`⬜`, escapeName(name, maxNameLength)], ' ');
  const title = bold(view.texts.setup.main.done(items.length - left.length, items.length));
  return [textBlock(lines(title, ...items.map(line))), buttonBlock(...left.flatMap((each) => each.button ?? []))];
}

async function checklist(view: SetupView, listing: ListingSettings): Promise<readonly ChecklistItem[]> {
  const { buttons, sections, fields, placeholders, choices } = view.texts.setup;
  const options = listingOptions({ listing });
  const isSet = (path: Parameters<typeof effectiveValue>[1]) => effectiveValue(view, path).value !== null;
  const edit = (label: string, name: 'roles' | 'item', variant: string | null = null) =>
    button(label, 'edit', editOptions(view, { name, entry: null, variant }));
  const hasEntries = (path: 'shop' | 'rewards.milestones') => listOf(effectiveValue(view, path).value).length > 0;
  return [
    { name: sections.listing, isDone: true, button: null },
    { name: buttons.tests, isDone: await isReceiving(view, listing), button: button(buttons.tests, 'test', options) },
    {
      name: fields.announceChannel,
      isDone: isSet('announceChannelId'),
      button: button(placeholders.channel, 'step-channel', options),
    },
    { name: fields.voterRole, isDone: isSet('rewards.voterRole'), button: edit(buttons.giveRole, 'roles') },
    {
      name: `${sections.shop}, ${choices.milestones}`,
      isDone: hasEntries('shop') || hasEntries('rewards.milestones'),
      button: edit(buttons.openShop, 'item', 'role'),
    },
    {
      name: buttons.votePanel,
      isDone: await view.services.hasVotePanel(view.guildId),
      button: votePanelButton(view),
    },
  ];
}

/** A listing from which nothing has arrived lately receives votes if the only listing of a community has voters. */
async function isReceiving(
  { services, guildId, community, standings, clock }: SetupView,
  { name }: ListingSettings,
): Promise<boolean> {
  if ((await services.settings.arrivedSince(guildId, name, 0)) !== null) return true;
  if (community.listings.length > 1) return false;
  const voters = { period: 'all', by: 'votes', limit: 1, offset: 0, userId: null } as const;
  return (await standings.leaderboard(voters, clock.now())).total > 0;
}
