import { award } from './award.ts';
import { canvote } from './canvote.ts';
import { claim } from './claim.ts';
import type { Command } from './context.ts';
import { credits } from './credits.ts';
import { gift } from './gift.ts';
import { help } from './help.ts';
import { leaderboard } from './leaderboard.ts';
import { privacy, privacyWithLinks } from './privacy.ts';
import { raffle } from './raffle.ts';
import { remind } from './remind.ts';
import { reviews } from './reviews.ts';
import { setup } from './setup.ts';
import { shop } from './shop.ts';
import { stats } from './stats.ts';
import { trace } from './trace.ts';
import { vote } from './vote.ts';

export const commands: readonly Command[] = [
  ...[vote, canvote, credits, leaderboard, raffle, remind, shop, gift, reviews, stats, claim, privacy, help],
  ...[award, trace, setup],
];

/**
 * The commands of an installation. @param settings `reminders`: whether members may have themselves reminded; linked
 * roles are on with both `clientSecret` and `publicUrl`
 */
export function commandsFor(settings: {
  readonly reminders: boolean;
  readonly clientSecret?: string | null;
  readonly publicUrl?: string | null;
}): readonly Command[] {
  const hasLinks = Boolean(settings.clientSecret && settings.publicUrl);
  if (settings.reminders && !hasLinks) return commands;
  return commands
    .filter((command) => settings.reminders || command !== remind)
    .map((command) => (hasLinks && command === privacy ? privacyWithLinks : command));
}
