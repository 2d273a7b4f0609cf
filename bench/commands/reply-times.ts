import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { InteractionReplyOptions } from 'discord.js';
import { type LogProgress, median, percentile } from '../report.ts';
import { type BotUnderTest, commandsRegistered, withoutShop } from './setup.ts';

/** Response times of a command and of the same message sent as a constant (ms). */
export interface ReplyTimes {
  readonly reply: MeasuredReply;
  readonly tallyhook: Times;
  readonly constant: Times;
}

type Times = Readonly<Record<'p50' | 'p99', number>>;

/** The bots: tallyhook with a listing and votes of the member, with two listings and no votes, and the constant one. */
type MeasuredBots = Readonly<Record<'tallyhook' | 'withoutVotes' | 'constant', BotUnderTest>>;

/** What is measured. The constant bot has a command named `id` for it. */
export interface MeasuredReply {
  readonly id: string;
  readonly bot: 'tallyhook' | 'withoutVotes';
  /** The command, and the language that the member uses. */
  readonly command: string;
  readonly locale: string;
  readonly label: string;
}

const english = { bot: 'tallyhook', locale: 'en-US' } as const;
const measured: readonly MeasuredReply[] = [
  { ...english, id: 'stats', command: 'stats', label: '/stats with a picture' },
  { ...english, id: 'stats-plain', bot: 'withoutVotes', command: 'stats', label: '/stats without votes' },
  { ...english, id: 'canvote', command: 'canvote', label: '/canvote' },
  { ...english, id: 'canvote-now', bot: 'withoutVotes', command: 'canvote', label: '/canvote of two listings' },
  { ...english, id: 'reviews', command: 'reviews', label: '/reviews' },
  { ...english, id: 'leaderboard', command: 'leaderboard', label: '/leaderboard, a panel' },
  { ...english, id: 'credits', command: 'credits', label: '/credits' },
  { ...english, id: 'canvote-de', command: 'canvote', locale: 'de', label: '/canvote in German' },
];
/** Enough for the first picture, which loads the fonts (ms). */
const drawingMs = 2_000;
/** Warm-up: compiled code on both sides, everything cached. */
const warmUp = 60;

/** One command at a time, alternating between the bots, from the interaction's dispatch to its callback. */
export async function measureReplies(
  bots: MeasuredBots,
  times: number,
  logProgress: LogProgress,
): Promise<ReplyTimes[]> {
  const { constant } = bots;
  for (const bot of [bots.tallyhook, bots.withoutVotes]) await commandsRegistered(bot, withoutShop.length);
  const ofTallyhook = ({ bot, command, locale }: MeasuredReply) => use(bots[bot], command, locale);
  const ofConstant = ({ id, locale }: MeasuredReply) => use(constant, id, locale);
  const replies = await repliesOf(ofTallyhook);
  await constant.bot.ask('replyWith', replies);
  await commandsRegistered(constant, measured.length);
  if (!isDeepStrictEqual(await repliesOf(ofConstant), replies)) throw new Error('The bots send different messages.');
  if (!replies['stats']?.files?.length) throw new Error('/stats has no picture.');
  if (replies['stats-plain']?.files?.length) throw new Error('/stats has a picture without votes.');
  const answered: ReplyTimes[] = [];
  for (const reply of measured) {
    logProgress(`${reply.label}, ${times} times each`);
    const samples: { tallyhook: number[]; constant: number[] } = { tallyhook: [], constant: [] };
    for (let time = -warmUp; time < times; time += 1) {
      // Alternating order, so that neither always runs after the other.
      const took = {
        ...(time % 2 === 0 ? { tallyhook: await timed(() => ofTallyhook(reply)) } : {}),
        constant: await timed(() => ofConstant(reply)),
        ...(time % 2 === 0 ? {} : { tallyhook: await timed(() => ofTallyhook(reply)) }),
      };
      if (time < 0) continue;
      samples.tallyhook.push(took.tallyhook ?? Number.NaN);
      samples.constant.push(took.constant);
    }
    answered.push({ reply, tallyhook: timesOf(samples.tallyhook), constant: timesOf(samples.constant) });
  }
  return answered;
}

function timesOf(samples: readonly number[]): Times {
  return { p50: median(samples), p99: percentile(samples, 0.99) };
}

type Used = ReturnType<BotUnderTest['discord']['runCommand']>;

async function timed(run: () => Used): Promise<number> {
  const startedAt = performance.now();
  await run().response;
  return performance.now() - startedAt;
}

function use({ discord }: BotUnderTest, name: string, locale: string): Used {
  const [member] = discord.members;
  return discord.runCommand({ name, userId: member?.id ?? '', channelId: discord.channels.general, locale });
}

/** The replies of a bot, by id. The constant bot repeats those of tallyhook. */
async function repliesOf(run: (reply: MeasuredReply) => Used): Promise<Record<string, InteractionReplyOptions>> {
  const replies: Record<string, InteractionReplyOptions> = {};
  for (const reply of measured) {
    // The first reply may be deferred, or still without a picture; the later ones come from the cache.
    await run(reply).settled;
    await pause(drawingMs);
    const used = run(reply);
    const callback = await used.response;
    if (callback.type !== 4) throw new Error(`${reply.label} is not answered from the cache.`);
    const { components = [], flags } = callback.data;
    const embeds = callback.data.embeds ?? [];
    const shown = await used.settled;
    const files = [];
    for (const [index, { image }] of embeds.entries()) {
      // A file that an embed shows is not among the attachments of the message.
      const [, name] = /^attachment:\/\/(.+)$/.exec(image?.url ?? '') ?? [];
      const url = shown.embeds[index]?.image?.url;
      if (name === undefined || url === undefined) continue;
      files.push({ attachment: Buffer.from(await (await fetch(url)).arrayBuffer()), name });
    }
    const message = { embeds, components, flags, allowedMentions: { parse: [] } };
    replies[reply.id] = { ...message, ...(files.length === 0 ? {} : { files }) } as InteractionReplyOptions;
  }
  return replies;
}
