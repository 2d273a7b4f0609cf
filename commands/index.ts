import { award } from './award.ts';
import { canvote } from './canvote.ts';
import { claim } from './claim.ts';
import type { Command } from './command.ts';
import { help } from './help.ts';
import { privacy } from './privacy.ts';
import { reviews } from './reviews.ts';
import { stats } from './stats.ts';
import { trace } from './trace.ts';

/** All slash commands. */
export const commands: readonly Command[] = [canvote, reviews, stats, help, award, claim, privacy, trace];
