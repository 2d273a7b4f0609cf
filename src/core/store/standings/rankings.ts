import type { Clock } from '../../../platform/clock.ts';
import type { Board } from '../../ledger/standing.ts';
import { type RankedBoard, rankBoard } from './ranked-board.ts';
import { createRankingCache, type Scan } from './ranking-cache.ts';
import type { ScoreName, ScoreTable } from './score-table.ts';

/** All leaderboards of one calendar day. A board is sorted when it is first requested. */
export interface Rankings extends Scan {
  /** When the scores were read (ms since the epoch). */
  readonly asOf: number;
  board(board: Board): Promise<RankedBoard>;
  /** Whether no score has changed since, as far as the database tells. */
  isUnchanged(): boolean;
}

/** The current rankings of a calendar day (day number), over a scan of all scores. */
export function createRankings(
  scan: (day: number) => Promise<ScoreTable>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  dataVersion: (() => number) | null = null,
): (day: number) => Promise<Rankings> {
  /** The boards that are in use. They are sorted before new rankings replace the earlier ones, so that nobody waits. */
  const used = new Set<ScoreName>();

  return createRankingCache(async (day) => {
    const asOf = clock.now();
    const version = dataVersion?.();
    const table = await scan(day);
    const boards = new Map<ScoreName, Promise<RankedBoard>>();
    const boardOf = (name: ScoreName) => {
      const board = boards.get(name) ?? rankBoard(table, name);
      boards.set(name, board);
      return board;
    };
    for (const name of used) await boardOf(name);
    return {
      size: table.size,
      day,
      asOf,
      isUnchanged: () => version !== undefined && version === dataVersion?.(),
      board(board) {
        const name = scoreNameOf(board);
        used.add(name);
        return boardOf(name);
      },
    };
  }, clock);
}

function scoreNameOf({ period, by }: Board): ScoreName {
  if (by === 'streak') return 'streak';
  return scoreNames[period][by];
}

const scoreNames = {
  week: { votes: 'weekVotes', credits: 'weekCredits' },
  month: { votes: 'monthVotes', credits: 'monthCredits' },
  all: { votes: 'votes', credits: 'credits' },
} as const;
