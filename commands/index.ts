import { award } from './award.ts';
import { canvote } from './canvote.ts';
import { claim } from './claim.ts';
import type { Command } from './command.ts';
import { credits } from './credits.ts';
import { help } from './help.ts';
import { leaderboard } from './leaderboard.ts';
import { privacy } from './privacy.ts';
import { remind } from './remind.ts';
import { reviews } from './reviews.ts';
import { setup } from './setup.ts';
import { shop } from './shop.ts';
import { stats } from './stats.ts';
import { trace } from './trace.ts';

/** All slash commands. */
export const commands: readonly Command[] = [
  ...[canvote, credits, leaderboard, remind, shop, reviews, stats, claim, privacy, help],
  ...[award, trace, setup],
];

/** The commands of an installation. @param settings `reminders`: whether members may have themselves reminded */
export function commandsFor(settings: { readonly reminders: boolean }): readonly Command[] {
  return settings.reminders ? commands : commands.filter((command) => command !== remind);
}
