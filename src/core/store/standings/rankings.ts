import type { Clock } from '../../../platform/clock.ts';
import type { Board } from '../../ledger/standing.ts';
import { type RankedBoard, rankBoard } from './ranked-board.ts';
import { createRankingCache, type Scan } from './ranking-cache.ts';
import type { ScoreScan } from './scan-scores.ts';

/** A leaderboard of one calendar day. */
export interface Ranking extends RankedBoard, Scan {
  /** When the scores were read (ms since the epoch). */
  readonly asOf: number;
}

/** The current ranking of a board on a calendar day (day number). */
export type Rankings = (board: Board, day: number) => Promise<Ranking>;

/** Ranks the scores of a scan. Each board has a scan of its own: few are in use, and all scores would take longer. */
export function createRankings(
  scan: ScoreScan,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  dataVersion: (() => number) | null = null,
): Rankings {
  async function rank(board: Board, day: number): Promise<Ranking> {
    const asOf = clock.now();
    const version = dataVersion?.();
    const table = await scan(board, day);
    const isUnchanged = () => version !== undefined && version === dataVersion?.();
    return { ...(await rankBoard(table)), size: table.size, day, asOf, isUnchanged };
  }

  const caches = new Map<string, (day: number) => Promise<Ranking>>();
  return (board, day) => {
    // A streak is the current one, whatever the period.
    const name = board.by === 'streak' ? board.by : `${board.period} ${board.by}`;
    const cache = caches.get(name) ?? createRankingCache((today) => rank(board, today), clock);
    caches.set(name, cache);
    return cache(day);
  };
}
