import type { InteractionReplyOptions } from 'discord.js';
import type { LogProgress } from '../benchmark.ts';
import { median, percentile } from '../samples.ts';
import { type BotUnderTest, commandsRegistered } from './setup.ts';

/** How long a command took to be answered, beside the same message sent as a constant. Times are ms. */
export interface ReplyTimes {
  readonly command: string;
  readonly own: Times;
  readonly constant: Times;
}

export interface Times {
  readonly p50: number;
  readonly p99: number;
}

const names = ['stats', 'canvote', 'reviews'] as const;
/** Until compiled code runs on both sides, and all is in the cache. */
const warmUp = 60;

/** One command at a time, now of one bot and now of the other, from the interaction's dispatch to its callback. */
export async function measureReplies(
  own: BotUnderTest,
  constant: BotUnderTest,
  times: number,
  logProgress: LogProgress,
): Promise<ReplyTimes[]> {
  await commandsRegistered(own);
  await constant.bot.ask('replyWith', await constantsOf(own));
  await commandsRegistered(constant);
  const answered: ReplyTimes[] = [];
  for (const command of names) {
    logProgress(`/${command}, ${times} times each`);
    const samples: { own: number[]; constant: number[] } = { own: [], constant: [] };
    for (let time = -warmUp; time < times; time += 1) {
      // In turns, so that neither always comes after the other's work.
      const took = {
        ...(time % 2 === 0 ? { own: await timed(own, command) } : {}),
        constant: await timed(constant, command),
        ...(time % 2 === 0 ? {} : { own: await timed(own, command) }),
      };
      if (time < 0) continue;
      samples.own.push(took.own ?? Number.NaN);
      samples.constant.push(took.constant);
    }
    answered.push({ command, own: timesOf(samples.own), constant: timesOf(samples.constant) });
  }
  return answered;
}

function timesOf(samples: readonly number[]): Times {
  return { p50: median(samples), p99: percentile(samples, 0.99) };
}

async function timed(playing: BotUnderTest, command: string): Promise<number> {
  const began = performance.now();
  await use(playing, command).response;
  return performance.now() - began;
}

function use({ discord }: BotUnderTest, name: string) {
  const [member] = discord.members;
  return discord.runCommand({ name, userId: member?.id ?? '', channelId: discord.channels.general });
}

/** What tallyhook answers, for the other bot to repeat word for word. */
async function constantsOf(own: BotUnderTest): Promise<Record<string, InteractionReplyOptions>> {
  const constants: Record<string, InteractionReplyOptions> = {};
  for (const name of names) {
    const handle = use(own, name);
    await handle.settled;
    // The first answer may have been deferred; the second comes from the cache.
    const callback = await use(own, name).response;
    if (callback.type !== 4) throw new Error(`/${name} is not answered from the cache.`);
    const { embeds, components, flags } = callback.data;
    constants[name] = { embeds, components, flags, allowedMentions: { parse: [] } } as InteractionReplyOptions;
  }
  return constants;
}
