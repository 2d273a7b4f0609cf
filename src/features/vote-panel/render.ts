import { type ListedPage, listingPage, unknownPage, voteButtons, voteLinkTo } from '../../../commands/listing.ts';
import type { RankedMember } from '../../core/ledger/standing.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { Panel, ReplyButton } from '../../discord/commands/reply.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import { bold, joined, lines, markup, memberName } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';

/** A page that takes longer is taken as unknown (ms). */
const timeoutMs = 2 * second;
/** A panel has 40 components, of which other buttons and the texts need some. */
const maxLinks = 20;
/** Before the members of the first three ranks. */
const medals = [markup`🥇`, markup`🥈`, markup`🥉`];

export interface PanelContent {
  readonly listings: readonly ListedPage[];
  /** The members with the most votes of the month. */
  readonly top: readonly RankedMember[];
  /** The names of those of them who have left. */
  readonly departed: ReadonlyMap<string, string>;
  /** Credits; 0 for none. */
  readonly perVote: number;
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
      page: profile === undefined ? unknownPage(listed.lookup, texts) : listingPage(profile.value, texts),
    })),
    isComplete: profiles.every(({ profile }) => profile !== undefined),
  };
}

/** The message with which members vote. All its buttons work forever: their ids name a command and an action. */
export function renderVotePanel({ listings, top, departed, perVote, buttons }: PanelContent, texts: Texts): Panel {
  const { votePanel, leaderboard, parts } = texts;
  const [first, ...others] = listings;
  const only = first !== undefined && others.length === 0 ? voteButtons(first.page, texts) : [];
  const links = only.length === 0 ? listings.flatMap((listing) => voteLinkTo(listing, listings, texts)) : only;
  const ranked = top.map(({ rank, userId, score }) =>
    joined([joined([medals[rank - 1], memberName(userId, departed)], ' '), parts.votes(score)], ' · '),
  );
  return {
    kind: 'panel',
    tone: 'good',
    title: votePanel.title(first?.page.name ?? markup``),
    blocks: [
      ...(perVote > 0 ? [{ kind: 'text' as const, text: votePanel.reward(perVote) }] : []),
      {
        kind: 'text',
        text: lines(bold(leaderboard.title('votes', 'month')), ...(top.length === 0 ? [leaderboard.none] : ranked)),
      },
      { kind: 'buttons', buttons: links },
      { kind: 'buttons', buttons },
    ],
  };
}
