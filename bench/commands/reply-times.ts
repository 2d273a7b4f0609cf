import { isDeepStrictEqual } from 'node:util';
import type { InteractionReplyOptions } from 'discord.js';
import { commands } from '../../commands/index.ts';
import type { LogProgress } from '../benchmark.ts';
import { median, percentile } from '../samples.ts';
import { type BotUnderTest, commandsRegistered } from './setup.ts';

/** Response times of a command and of the same message sent as a constant (ms). */
export interface ReplyTimes {
  readonly command: string;
  readonly tallyhook: Times;
  readonly constant: Times;
}

export interface Times {
  readonly p50: number;
  readonly p99: number;
}

const names = ['stats', 'canvote', 'reviews'] as const;
/** Warm-up: compiled code on both sides, everything cached. */
const warmUp = 60;

/** One command at a time, alternating between the bots, from the interaction's dispatch to its callback. */
export async function measureReplies(
  tallyhook: BotUnderTest,
  constant: BotUnderTest,
  times: number,
  logProgress: LogProgress,
): Promise<ReplyTimes[]> {
  await commandsRegistered(tallyhook, commands.length);
  const replies = await repliesOf(tallyhook);
  await constant.bot.ask('replyWith', replies);
  await commandsRegistered(constant, names.length);
  if (!isDeepStrictEqual(await repliesOf(constant), replies)) throw new Error('The bots send different messages.');
  const answered: ReplyTimes[] = [];
  for (const command of names) {
    logProgress(`/${command}, ${times} times each`);
    const samples: { tallyhook: number[]; constant: number[] } = { tallyhook: [], constant: [] };
    for (let time = -warmUp; time < times; time += 1) {
      // Alternating order, so that neither always runs after the other.
      const took = {
        ...(time % 2 === 0 ? { tallyhook: await timed(tallyhook, command) } : {}),
        constant: await timed(constant, command),
        ...(time % 2 === 0 ? {} : { tallyhook: await timed(tallyhook, command) }),
      };
      if (time < 0) continue;
      samples.tallyhook.push(took.tallyhook ?? Number.NaN);
      samples.constant.push(took.constant);
    }
    answered.push({ command, tallyhook: timesOf(samples.tallyhook), constant: timesOf(samples.constant) });
  }
  return answered;
}

function timesOf(samples: readonly number[]): Times {
  return { p50: median(samples), p99: percentile(samples, 0.99) };
}

async function timed(playing: BotUnderTest, command: string): Promise<number> {
  const startedAt = performance.now();
  await use(playing, command).response;
  return performance.now() - startedAt;
}

function use({ discord }: BotUnderTest, name: string) {
  const [member] = discord.members;
  return discord.runCommand({ name, userId: member?.id ?? '', channelId: discord.channels.general });
}

/** The replies of a bot to each command. The constant bot repeats those of tallyhook. */
async function repliesOf(playing: BotUnderTest): Promise<Record<string, InteractionReplyOptions>> {
  const replies: Record<string, InteractionReplyOptions> = {};
  for (const name of names) {
    const handle = use(playing, name);
    await handle.settled;
    // The first reply may be deferred; the second comes from the cache.
    const callback = await use(playing, name).response;
    if (callback.type !== 4) throw new Error(`/${name} is not answered from the cache.`);
    const { embeds, components, flags } = callback.data;
    replies[name] = { embeds, components, flags, allowedMentions: { parse: [] } } as InteractionReplyOptions;
  }
  return replies;
}
