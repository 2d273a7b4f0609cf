import type { GuildRejections } from './circuit-store.ts';

/** Nothing more is sent for a guild with this many rejected requests in ten minutes. */
export const maxRejectionsOfGuild = 500;
/** From this number on, of all guilds together, those with the most are paused although each has less. */
const maxRejectionsOfAll = 5_000;
/** What the guilds that are not paused may then have caused together. */
const maxRejectionsOfUnpaused = 2_500;

/**
 * The guilds that cause so many rejected requests that Discord might block the bot for all others.
 * @param counts of the last ten minutes, one of each guild
 * @param total the rejected requests of the same time, also those of no guild
 */
export function guildsToPause(counts: readonly GuildRejections[], total: number): ReadonlySet<string> {
  const descending = counts.toSorted((a, b) => b.count - a.count);
  let rest = counts.reduce((sum, { count }) => sum + count, 0);
  const paused = new Set<string>();
  for (const { guildId, count } of descending) {
    const isTooMuchInAll = total >= maxRejectionsOfAll && rest > maxRejectionsOfUnpaused;
    if (count < maxRejectionsOfGuild && !isTooMuchInAll) break;
    paused.add(guildId);
    rest -= count;
  }
  return paused;
}
