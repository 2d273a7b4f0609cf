import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import {
  type Board,
  type LeaderboardPage,
  leaderboardPeriods,
  leaderboardScores,
  type RankedMember,
} from '../src/ledger/standing.ts';
import { second } from '../src/platform/durations.ts';
import { joined, lines, type Markup, mention } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandInput } from './command.ts';
import { choiceOption, integerOption } from './command.ts';
import type { Reply, ReplyButton } from './reply.ts';

const pageSize = 10;
const maxPage = 1_000_000_000;
/** The option of the button that shows the page with the member who presses it. */
const ownPage = 'me';

/** The members with the most votes or credits, or the longest streak; always with the line of the member who asks. */
export const leaderboard = {
  name: 'leaderboard',
  visibility: 'public',
  hasPages: true,
  isServedBy: () => true,
  describe: ({ texts }) => ({
    description: texts.leaderboard.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'period',
        description: texts.leaderboard.periodOption,
        choices: leaderboardPeriods.map((period) => ({ name: texts.leaderboard.periods[period], value: period })),
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'by',
        description: texts.leaderboard.byOption,
        choices: leaderboardScores.map((by) => ({ name: texts.leaderboard.scores[by], value: by })),
      },
    ],
  }),
  async execute(input, { standings, texts, clock }) {
    const board = {
      period: choiceOption(input, 'period', leaderboardPeriods, 'all'),
      by: choiceOption(input, 'by', leaderboardScores, 'credits'),
    };
    const now = clock.now();
    const fetchPage = (offset: number | 'own') =>
      standings.leaderboard({ ...board, limit: pageSize, offset, userId: input.userId }, now);
    const requested = await fetchPage(offsetOf(input));
    // There may be fewer pages than when the button was shown.
    const isPastEnd = requested.members.length === 0 && requested.total > 0;
    const page = isPastEnd ? await fetchPage(lastOffset(requested.total)) : requested;
    return renderPage(page, board, { userId: input.userId, now, texts });
  },
} as const satisfies Command;

function offsetOf(input: CommandInput): number | 'own' {
  if (input.options['page'] === ownPage) return 'own';
  return (integerOption(input, 'page', { min: 1, max: maxPage, fallback: 1 }) - 1) * pageSize;
}

function lastOffset(total: number): number {
  return Math.floor((total - 1) / pageSize) * pageSize;
}

function renderPage(
  { members, offset, total, own, asOf }: LeaderboardPage,
  board: Board,
  { userId, now, texts }: { readonly userId: string; readonly now: number; readonly texts: Texts },
): Reply {
  const number = offset / pageSize + 1;
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const { none, notRanked, title, count } = texts.leaderboard;
  const ownLine = own === null ? notRanked(mention(userId)) : renderMember(own, board, texts);
  const list = members.length === 0 ? none : lines(...members.map((member) => renderMember(member, board, texts)));
  return {
    tone: 'plain',
    title: title(board.by, board.period),
    text: joined([list, ownLine], '\n\n'),
    footer: count(total, number, pages),
    // A large community's ranking may be some minutes old.
    ...(now - asOf >= second ? { at: asOf } : {}),
    buttons: pageButtons(board, { number, pages }, texts),
  };
}

function renderMember({ rank, userId, score }: RankedMember, { by }: Board, { leaderboard: texts }: Texts): Markup {
  return texts.line(rank, mention(userId), texts.score(by, score));
}

function pageButtons(
  { period, by }: Board,
  { number, pages }: { readonly number: number; readonly pages: number },
  { leaderboard: texts }: Texts,
): ReplyButton[] {
  const button = (label: string, page: number | typeof ownPage, disabled: boolean): ReplyButton => {
    return { kind: 'page', label, disabled, options: { period, by, page } };
  };
  return [
    button(texts.previous, number - 1, number <= 1),
    button(texts.me, ownPage, false),
    button(texts.next, number + 1, number >= pages),
  ];
}
