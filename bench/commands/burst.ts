import type { Person } from 'local-discord';
import { percentile } from '../samples.ts';
import { type BotUnderTest, commandsRegistered, withoutShop } from './setup.ts';

/** Number of members that use the command at once. */
export const burstSize = 1_000;

export const burst: readonly Person[] = Array.from({ length: burstSize }, (_, number) => ({
  id: String(300_000_000_000_000_000n + BigInt(number)),
  username: `member_${number}`,
}));

export interface BurstResult {
  /** Members that got "The application did not respond". */
  readonly unanswered: number;
  /** Time to the first response (ms). */
  readonly p50: number;
  readonly longest: number;
  /** CPU time per member: of the bot, and of local Discord and service together (ms). */
  readonly cpu: { readonly bot: number; readonly around: number };
}

/** All members use `/canvote` with an empty cache: the budget allows 120 requests to the service. */
export async function measureBurst(playing: BotUnderTest): Promise<BurstResult> {
  await commandsRegistered(playing, withoutShop.length);
  const { discord, bot } = playing;
  const before = { bot: await bot.usage(), around: process.cpuUsage() };
  const handles = burst.map(({ id }) =>
    discord.runCommand({ name: 'canvote', userId: id, channelId: discord.channels.general }),
  );
  const responses = await Promise.allSettled(handles.map(({ response }) => response));
  await Promise.allSettled(handles.map(({ settled }) => settled));
  const after = { bot: await bot.usage(), around: process.cpuUsage(before.around) };
  const waits = responses.filter((response) => response.status === 'fulfilled').map(({ value }) => value.afterMs);
  return {
    unanswered: burstSize - waits.length,
    p50: percentile(waits, 0.5),
    longest: percentile(waits, 1),
    cpu: {
      bot: (after.bot.cpu - before.bot.cpu) / 1_000 / burstSize,
      around: (after.around.user + after.around.system) / 1_000 / burstSize,
    },
  };
}
