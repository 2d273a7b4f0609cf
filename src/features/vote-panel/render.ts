import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { bold, escapeName, joined, lines, type Markup, markup, memberName } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { RankedMember } from '../../core/ledger/standing.ts';
import type { VoteAmount } from '../../core/rewards/decide-vote.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import {
  type ListedPage,
  listingPage,
  nameWithSite,
  unknownPage,
  voteButtons,
  voteLinkTo,
} from '../../discord/commands/listing-page.ts';
import type { ActionTarget, Panel, ReplyButton } from '../../discord/commands/reply.ts';
import { medalOf } from '../../texts/medals.ts';
import type { Texts } from '../../texts/texts.ts';

/** A page that takes longer is taken as unknown (ms). */
const timeoutMs = 2 * second;
/** A panel has 40 components, of which other buttons and the texts need some. */
const maxLinks = 20;

interface ListingReward extends VoteAmount {
  readonly listing: string;
  /** What people call it. */
  readonly displayName: string;
}

export interface PanelContent {
  readonly listings: readonly ListedPage[];
  /** The members with the most votes of the month. */
  readonly top: readonly RankedMember[];
  /** The names of those of them who have left. */
  readonly departed: ReadonlyMap<string, string>;
  /** How many more share the rank of the last of them. */
  readonly moreTied: number;
  /** What a vote for each listing earns now. */
  readonly rewards: readonly ListingReward[];
  /** What lists all listings; null to link each of them. */
  readonly list: ActionTarget | null;
  /** What commands offer. */
  readonly buttons: readonly ReplyButton[];
}

/** The pages of listings; incomplete if the service does not tell one in time, so that a panel keeps the links it has. */
export async function readPages(
  listings: readonly ListedLookup[],
  texts: Texts,
  clock: Clock,
): Promise<{ readonly pages: readonly ListedPage[]; readonly isComplete: boolean }> {
  const profiles = await Promise.all(
    listings.slice(0, maxLinks).map(async (listed) => {
      const profile = await settleWithin(timeoutMs, clock, listed.lookup.profile());
      return { listed, profile };
    }),
  );
  return {
    pages: profiles.map(({ listed, profile }) => ({
      listed,
      page: profile === undefined ? unknownPage(listed, texts) : listingPage(profile.value, texts),
    })),
    isComplete: profiles.every(({ profile }) => profile !== undefined),
  };
}

/** The message with which members vote. All its buttons work forever: their ids name a command and an action. */
export function renderVotePanel(content: PanelContent, texts: Texts): Panel {
  const { listings, top, departed, moreTied, rewards, buttons } = content;
  const { text } = texts;
  const [first] = listings;
  const links = linksTo(content, texts);
  const ranked = top.map(({ rank, userId, score }) =>
    joined([joined([medalOf(rank), memberName(userId, departed)], ' '), text('parts.votes', { count: score })], ' · '),
  );
  const earned = renderRewards(rewards, listings, texts);
  const tied = moreTied === 0 ? null : text('digest.more', { count: moreTied });
  return {
    kind: 'panel',
    tone: 'good',
    title: text('votePanel.title', { name: first?.page.name ?? markup`` }),
    blocks: [
      ...(earned.length > 0 ? [{ kind: 'text' as const, text: lines(...earned) }] : []),
      {
        kind: 'text',
        text: lines(
          bold(text('leaderboard.titles.votes.month')),
          ...(top.length === 0 ? [text('leaderboard.none')] : ranked),
          tied,
        ),
      },
      { kind: 'buttons', buttons: links },
      { kind: 'buttons', buttons },
    ],
  };
}

/** A link to the only listing, and a button that lists several. */
function linksTo({ listings, list }: PanelContent, texts: Texts): readonly ReplyButton[] {
  const [first, ...others] = listings;
  if (first === undefined) return [];
  if (others.length === 0) return voteButtons(first.page, texts);
  if (list === null) return listings.flatMap((listing) => voteLinkTo(listing, listings, texts));
  return [{ kind: 'action', ...list, label: texts.text('canVote.voteButton'), style: 'primary' }];
}

/** One line if all listings pay the same, otherwise one for each that pays. */
function renderRewards(
  rewards: readonly ListingReward[],
  listings: readonly ListedPage[],
  { text }: Texts,
): readonly Markup[] {
  const paid = rewards.map((reward) => ({
    ...reward,
    line: text(reward.isToday ? 'votePanel.rewardToday' : 'votePanel.reward', {
      credits: text('parts.credits', { count: reward.credits }),
    }),
  }));
  const [first, ...others] = paid;
  if (first === undefined) return [];
  if (others.every(({ line }) => line === first.line)) return first.credits > 0 ? [first.line] : [];
  return paid
    .filter(({ credits }) => credits > 0)
    .map(({ listing, displayName, line }) => {
      const shown = listings.find(({ listed }) => listed.name === listing);
      return joined([bold(shown === undefined ? escapeName(displayName) : nameWithSite(shown)), line], ' · ');
    });
}
