import { type Markup, markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from './texts.ts';

/** Before a member of the first three ranks; null for all others. Members with the same rank have the same medal. */
export function medalOf(rank: number): Markup | null {
  return medals[rank - 1] ?? null;
}

const medals: readonly Markup[] = [markup`🥇`, markup`🥈`, markup`🥉`];

type Score = 'votes' | 'credits' | 'streak';

/** "Most votes this month": the title of a leaderboard. */
export function boardTitle(by: Score, period: 'week' | 'month' | 'all', { text }: Pick<Texts, 'text'>): Markup {
  return by === 'streak' ? text('leaderboard.titles.streak') : text(`leaderboard.titles.${by}.${period}`);
}

/** "12 votes", "12 credits" or "12 days". */
export function scoreText(by: Score, score: number, { text }: Pick<Texts, 'text'>): Markup {
  return text(`parts.${by === 'streak' ? 'days' : by}`, { count: score });
}
