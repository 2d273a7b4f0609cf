import { canvote } from './canvote.ts';
import type { Command } from './command.ts';
import { reviews } from './reviews.ts';
import { stats } from './stats.ts';

/** Every command there is. */
export const commands: readonly Command[] = [canvote, reviews, stats];
