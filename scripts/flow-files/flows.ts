import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, hour, minute } from '@tallyhook/platform/durations';
import type { RunningService } from 'listing-service';
import type { LocalDiscord, Message, SubmittedValues } from 'local-discord';
import { startListingService, startTallyhook, withoutShop } from '../../bench/commands/setup.ts';
import type { Child } from '../../bench/process/child.ts';
import { commands } from '../../commands/index.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { sign } from '../../src/webhook/signature.ts';
import type { FlowName } from './limits.ts';

/** A flow that can be repeated, in the bot of a process. */
export interface RepeatedFlow {
  readonly bot: Child;
  /** How often it is repeated in a run, and how much more often in a longer one. */
  readonly times: number;
  readonly moreTimes: number;
  /** Runs the flow once, up to its last effect. @param number how often it has run */
  run(number: number): Promise<void>;
  /** What a run does besides the flow: lets time pass. */
  idle?(): Promise<void>;
}

interface RunningBot {
  readonly child: Child;
  readonly url: string;
  readonly discord: LocalDiscord;
}

const secret = 'flow-files-secret';
/** `/help`, `/privacy` and `/setup`. */
const commandsWithoutListing = 3;
/** At least as many as are measured; each is the second vote of a member. */
const maxVotes = 300;

/**
 * Starts bots, and passes each flow to `measure` while its bot runs.
 * @param directory for the databases
 */
export async function withFlows(
  directory: string,
  measure: (name: FlowName, flow: RepeatedFlow) => Promise<void>,
): Promise<void> {
  const service = await startListingService(directory);
  try {
    await withBot(join(directory, 'configured'), service, configured(directory), async (bot) => {
      const { child, discord } = bot;
      const { general, announcements, premium } = discord.channels;
      const [manager, buyer, reminded] = discord.members.map(({ id }) => id);
      if (manager === undefined || buyer === undefined || reminded === undefined) throw new Error('No members.');
      const use = (name: string, userId: string, options = {}) =>
        discord.runCommand({ name, userId, options, channelId: general });

      await registered(discord, commands.length);
      // The streak of a member begins with a vote of the day before.
      for (let number = 0; number < maxVotes; number += 1) await vote(bot, voter(number), Date.now() - day);
      const last = `<@${voter(maxVotes - 1)}>`;
      const isAnnounced = () => JSON.stringify(discord.messages(announcements)).includes(last);
      await happened(discord, isAnnounced, 'the announcements');
      await measure('vote with streak, milestone and announcement', {
        ...{ bot: child, times: 30, moreTimes: 20 },
        async run(number) {
          const before = discord.messages(announcements).length;
          await vote(bot, voter(number));
          await arrival(discord, announcements, before + 1);
        },
      });

      await measure('/canvote from the cache', {
        ...{ bot: child, times: 30, moreTimes: 20 },
        async run() {
          const { type } = await use('canvote', manager).response;
          if (type !== 4) throw new Error(`/canvote was answered with a response of type ${type}, not with a message.`);
        },
      });

      await use('award', manager, { user: buyer, credits: 1_000, reason: 'Deposit' }).settled;
      await measure('purchase, up to the report to the owner', {
        ...{ bot: child, times: 10, moreTimes: 10 },
        async run() {
          const before = discord.messages(premium).length;
          const chosen = await press(discord, await use('shop', buyer).settled, 'shop/buy', buyer);
          await press(discord, chosen, 'shop/confirm', buyer);
          await arrival(discord, premium, before + 1);
        },
      });

      await use('remind', reminded, { state: 'on' }).settled;
      const cooldown = 12 * hour + minute;
      let now = Date.now();
      const pass = async () => {
        now += cooldown;
        await child.ask('advance', cooldown);
      };
      await measure('vote, reminder, direct message', {
        ...{ bot: child, times: 5, moreTimes: 5 },
        async run() {
          const before = discord.directMessages(reminded).length;
          await vote(bot, reminded, now);
          await pass();
          await happened(discord, () => discord.directMessages(reminded).length > before, 'a direct message');
        },
        idle: pass,
      });
    });

    await withBot(join(directory, 'linked'), service, linkedInDiscord, async ({ child, discord }) => {
      const owner = discord.members[0]?.id ?? '';
      const open = () => discord.runCommand({ name: 'setup', userId: owner, channelId: discord.channels.general });
      const fill = async (message: Message, button: string, values: SubmittedValues) => {
        const opened = discord.clickButton(message.id, customIdOf(message, button), owner);
        await opened.response;
        return discord.submitModal({ interactionId: opened.id, userId: owner, values }).settled;
      };
      const lookupKey = await service.issueKey(service.seeded?.server.id ?? '');
      await registered(discord, commandsWithoutListing);
      await fill(await open().settled, 'setup/link', { lookupKey });
      await registered(discord, withoutShop.length);
      await measure('change in /setup', {
        ...{ bot: child, times: 5, moreTimes: 5 },
        async run(number) {
          const section = await press(discord, await open().settled, 's=rewards', owner);
          const credits = String(20 + (number % 2));
          const values = { vote: credits, premium: '100', whenDenied: '0', allListings: '', firstVote: '' };
          const saved = JSON.stringify(await fill(section, 'f=credits', values));
          if (!saved.includes(`→ **${credits}** credits`)) throw new Error(`The change was not saved: ${saved}`);
        },
      });
    });
  } finally {
    await service.stop();
  }
}

/** A listing in the file, with rules, channels and a shop. */
const configured =
  (directory: string) =>
  ({ guildId, channels }: LocalDiscord, lookupKey: string): Record<string, string> => {
    const listing = {
      ...{ name: 'harbour', kind: 'server', id: guildId, guildId, lookupKey, voteSecrets: [secret] },
      ...{ announceChannelId: channels.announcements, ownerChannelId: channels.premium },
      rewards: { vote: 10, streak: { every: 2, credits: 5 }, milestones: [{ everyVotes: 2, credits: 5 }] },
      shop: [{ id: 'shout', name: 'Shout-out', price: 1, manual: true }],
    };
    const path = join(directory, 'listings.json');
    writeFileSync(path, JSON.stringify({ listings: [listing] }), { mode: 0o600 });
    return { TALLYHOOK_CONFIG: path };
  };

/** The owner links the listing with `/setup`. */
function linkedInDiscord(): Record<string, string> {
  return { SETTINGS_KEY: 'a'.repeat(64), PUBLIC_URL: 'https://votes.example' };
}

async function withBot(
  directory: string,
  service: RunningService,
  settingsFor: (discord: LocalDiscord, lookupKey: string) => Record<string, string>,
  measure: (bot: RunningBot) => Promise<void>,
): Promise<void> {
  const module = new URL('./bot-process.ts', import.meta.url);
  const { bot: child, discord, stop } = await startTallyhook(directory, service, { module, settingsFor });
  try {
    await happened(discord, () => discord.connected, 'the bot');
    await measure({ child, url: await child.ask<string>('url'), discord });
  } finally {
    await stop();
  }
}

function voter(number: number): string {
  return String(400_000_000_000_000_000n + BigInt(number));
}

async function vote({ url }: RunningBot, userId: string, at = Date.now()): Promise<void> {
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date(at).toISOString() });
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!text.includes('recorded')) throw new Error(`A vote was answered with ${response.status}: ${text}`);
}

function customIdOf({ components }: Message, part: string): string {
  const all = controlsOf(components).flatMap(({ custom_id }) => custom_id ?? []);
  const found = all.find((customId) => customId.includes(part));
  if (found === undefined) throw new Error(`There is no button ${part} in: ${all.join(', ')}`);
  return found;
}

function press(discord: LocalDiscord, message: Message, part: string, userId: string): Promise<Message> {
  return discord.clickButton(message.id, customIdOf(message, part), userId).settled;
}

/** Resolves when a channel has so many messages. */
function arrival(discord: LocalDiscord, channelId: string, count: number): Promise<void> {
  return happened(discord, () => discord.messages(channelId).length >= count, `message ${count} of ${channelId}`);
}

/** Resolves when so many commands are registered: all, because a registration in progress runs more than its flow. */
function registered(discord: LocalDiscord, count: number): Promise<void> {
  return happened(discord, () => discord.commands().length >= count, `${count} commands`);
}

async function happened({ events }: LocalDiscord, isDone: () => boolean, description: string): Promise<void> {
  const signal = AbortSignal.timeout(minute);
  while (!isDone()) {
    await once(events, 'change', { signal }).catch((cause: unknown) => {
      throw new Error(`Waited in vain for ${description}.`, { cause });
    });
  }
}
