import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import { joined, lines, type Markup, memberName, mention, subtext } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import {
  type Board,
  type LeaderboardPage,
  leaderboardPeriods,
  leaderboardScores,
  type RankedMember,
} from '../src/core/ledger/standing.ts';
import { type CommandInput, choiceOption, integerOption, pageButtons } from '../src/discord/commands/command.ts';
import type { OptionValue, Panel, PanelBlock, ReplyButton } from '../src/discord/commands/reply.ts';
import { boardTitle, medalOf, scoreText } from '../src/texts/boards.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { chosenCommunity, communityChoice } from './listing.ts';

const pageSize = 10;
const maxPage = 1_000_000_000;
/** The option of the button that shows the page with the member who presses it. */
const ownPage = 'me';

/** The members with the most votes or credits, or the longest streak, and the line of the member who asks. */
export const leaderboard = {
  name: 'leaderboard',
  visibility: 'public',
  hasPages: true,
  actions: ['period', 'by', 'community'],
  availability: 'everywhere',
  needs: 'accounts',
  describe: ({ texts }) => ({
    description: texts.text('leaderboard.description'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'period',
        description: texts.text('leaderboard.periodOption'),
        choices: leaderboardPeriods.map((period) => ({
          name: texts.text(`leaderboard.periods.${period}`),
          value: period,
        })),
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'by',
        description: texts.text('leaderboard.byOption'),
        choices: leaderboardScores.map((by) => ({ name: texts.text(`leaderboard.scores.${by}`), value: by })),
      },
    ],
  }),
  async execute(input, context) {
    const { texts, clock } = context;
    const board = boardOf(input);
    const chosen = chosenCommunity(selectedOptions(input)['community'], context);
    if (chosen === null) {
      return communityChoice(
        { title: boardTitle(board.by, board.period, texts), options: { period: board.period, by: board.by } },
        context,
      );
    }
    const { standings } = chosen.community ?? context;
    const now = clock.now();
    const fetchPage = (offset: number | 'own') =>
      standings.leaderboard({ ...board, limit: pageSize, offset, userId: input.userId }, now);
    const requested = await fetchPage(offsetOf(input));
    // There may be fewer pages than when the button was shown.
    const isPastEnd = requested.members.length === 0 && requested.total > 0;
    const page = isPastEnd ? await fetchPage(lastOffset(requested.total)) : requested;
    const shown = [...page.members, ...(page.own === null ? [] : [page.own])].map(({ userId }) => userId);
    const departed = await context.findDeparted(chosen.community?.guildId ?? input.guildId, shown);
    const isOfCommunity = !('community' in chosen.options);
    const season = (isOfCommunity && context.season(texts)) || [];
    const isUsual = departed.size === 0 && isOfCommunity && season.length === 0;
    return isUsual
      ? renderPage(page, texts)
      : renderBoard(page, texts, { options: { ...chosen.options }, season, departed });
  },
} as const satisfies Command;

type Options = Readonly<Record<string, OptionValue>>;

/** A select changes one of the options, and has the others in its id. */
function selectedOptions({ action, values, options }: CommandInput): Options {
  return action === null ? options : { ...options, [action]: values[0] ?? '' };
}

function boardOf(input: CommandInput): Board {
  const selected = { ...input, options: selectedOptions(input) };
  return {
    period: choiceOption(selected, 'period', leaderboardPeriods, 'all'),
    by: choiceOption(selected, 'by', leaderboardScores, 'credits'),
  };
}

function offsetOf(input: CommandInput): number | 'own' {
  if (input.options['page'] === ownPage) return 'own';
  return (integerOption(input, 'page', { min: 1, max: maxPage, fallback: 1 }) - 1) * pageSize;
}

function lastOffset(total: number): number {
  return Math.floor((total - 1) / pageSize) * pageSize;
}

/** The standings return the same page to all commands until a score changes, so that it is rendered once. */
const renderPage = memoizeByIdentity((page: LeaderboardPage, texts: Texts) => renderBoard(page, texts));

interface BoardExtras {
  /** Names the community, if there are several. */
  readonly options: Options;
  /** The prizes and the raffle of the current periods, a line each. */
  readonly season: readonly Markup[];
  /** The names of those who have left. */
  readonly departed: ReadonlyMap<string, string>;
}

const noExtras: BoardExtras = { options: {}, season: [], departed: new Map() };

function renderBoard(page: LeaderboardPage, texts: Texts, extras: BoardExtras = noExtras): Panel {
  const { options: community, season, departed } = extras;
  const { board, members, offset, total, userId, own, asOf, isCurrent } = page;
  const number = offset / pageSize + 1;
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const { text } = texts;
  const listed = text('leaderboard.members', { count: total });
  const isListed = members.some((member) => member.userId === userId);
  const ownLine =
    own === null
      ? text('leaderboard.notRanked', { user: mention(userId ?? '') })
      : renderMember(own, { board, texts, departed });
  const list = lines(...members.map((member) => renderMember(member, { board, texts, departed })));
  // Another period of an empty board would be empty, too.
  const isUnused = total === 0 && board.period === 'all' && board.by !== 'streak';
  const options = { period: board.period, by: board.by, ...community };
  const [previous, next] = pageButtons('leaderboard', texts, { number, pages }, options);
  const toOwn: ReplyButton = {
    kind: 'page',
    label: text('leaderboard.me'),
    disabled: false,
    options: { ...options, page: ownPage },
  };
  return {
    kind: 'panel',
    tone: 'plain',
    title: boardTitle(board.by, board.period, texts),
    blocks: [
      {
        kind: 'text',
        text: joined(
          [
            ...(total === 0 ? [text('leaderboard.none')] : [list, isListed ? null : ownLine]),
            season.length === 0 ? null : lines(...season.map(subtext)),
          ],
          '\n\n',
        ),
      },
      ...(isUnused ? [] : selects(board, community, texts)),
      ...(pages === 1 ? [] : [{ kind: 'buttons', buttons: [previous, toOwn, next] } as const]),
    ],
    ...(total === 0
      ? {}
      : { footer: pages === 1 ? listed : `${text('parts.page', { number, of: pages })} · ${listed}` }),
    // A large community's ranking may be some seconds old.
    ...(isCurrent ? {} : { at: asOf }),
    response: 'update',
  };
}

function renderMember(
  { rank, userId, score }: RankedMember,
  {
    board,
    texts,
    departed,
  }: { readonly board: Board; readonly texts: Texts; readonly departed: ReadonlyMap<string, string> },
): Markup {
  const { text } = texts;
  return joined(
    [
      medalOf(rank),
      text('leaderboard.line', { rank, user: memberName(userId, departed), score: scoreText(board.by, score, texts) }),
    ],
    ' ',
  );
}

function selects({ period, by }: Board, community: Options, { text }: Texts): PanelBlock[] {
  const select = <Value extends string>(
    action: 'period' | 'by',
    options: Partial<Board>,
    labelOf: (value: Value) => string,
    values: readonly Value[],
    current: Value,
  ): PanelBlock => {
    const choices = values.map((value) => ({ label: labelOf(value), value, selected: value === current }));
    return { kind: 'select', select: { kind: 'choices', action, options: { ...options, ...community }, choices } };
  };
  return [
    select('period', { by }, (value) => text(`leaderboard.periods.${value}`), leaderboardPeriods, period),
    select('by', { period }, (value) => text(`leaderboard.scores.${value}`), leaderboardScores, by),
  ];
}
