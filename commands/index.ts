import { award } from './award.ts';
import { canvote } from './canvote.ts';
import type { Command } from './command.ts';
import { credits } from './credits.ts';
import { help } from './help.ts';
import { leaderboard } from './leaderboard.ts';
import { reviews } from './reviews.ts';
import { stats } from './stats.ts';

/** All slash commands. */
export const commands: readonly Command[] = [canvote, credits, leaderboard, reviews, stats, help, award];
