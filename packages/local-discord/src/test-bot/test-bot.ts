import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { second } from '@tallyhook/platform/durations';
import { type Person, personNamed } from '../default-guild.ts';
import { LocalDiscordError } from '../errors.ts';
import { ApplicationDidNotRespondError } from '../interactions.ts';
import { type LocalDiscord, startLocalDiscord } from '../local-discord.ts';
import type { Message } from '../objects.ts';
import type { OptionInput } from '../resolve-command.ts';
import type { BotClient, TestBot, TestBotOptions, TestCommandOptions, TestContext, TestMember } from './interface.ts';
import { awaitReply, createReply } from './reply.ts';

/** How long a message of the bot is waited for, as for a reply (ms). */
const messageTimeoutMs = 3 * second;

/**
 * Connects a client of discord.js to a Discord on this machine, for tests: registers the commands, and returns the
 * members who use them. The client must not have logged in; it needs no token, and nothing in the bot changes.
 * @throws LocalDiscordError `invalid_options` if the client has logged in already, and the errors of discord.js
 * @example
 * ```ts
 * import { Client, Events, GatewayIntentBits, SlashCommandBuilder } from 'discord.js';
 * import { createTestBot } from 'local-discord';
 *
 * const client = new Client({ intents: [GatewayIntentBits.Guilds] });
 * client.on(Events.InteractionCreate, async (interaction) => {
 *   if (interaction.isChatInputCommand()) await interaction.reply('Pong!');
 * });
 * const commands = [new SlashCommandBuilder().setName('ping').setDescription('Replies with Pong!')];
 * const bot = await createTestBot(client, { commands });
 * const reply = await bot.member('Mira').run('/ping');
 * console.log(reply.text);
 * await bot.stop();
 * ```
 */
export async function createTestBot(client: BotClient, options: TestBotOptions = {}): Promise<TestBot> {
  if (client.isReady()) {
    throw new LocalDiscordError('invalid_options', 'The client has logged in already.', {
      hint: 'Pass it before login(), which createTestBot calls.',
    });
  }
  const { commands, members, ...others } = options;
  const discord = await startLocalDiscord(
    members === undefined ? others : { ...others, people: members.map(personNamed) },
  );
  async function stop(): Promise<void> {
    await client.destroy();
    await discord.stop();
  }
  try {
    Object.assign(client.rest.options, { api: discord.apiUrl });
    const answers = watchAnswers(client, discord);
    const ready = new Promise<void>((resolve) => client.once('clientReady', resolve));
    await client.login(discord.token);
    await ready;
    // discord.js itself converts builders.
    if (commands !== undefined) await client.application?.commands.set(commands as never, discord.guildId);
    return { ...createMembers({ discord, answers }), discord, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createMembers(context: TestContext): Pick<TestBot, 'member' | 'nextMessage'> {
  const { discord } = context;
  const taken = new Set<string>();

  function channelIdOf(channel: string): string {
    const known: Readonly<Record<string, string>> = discord.channels;
    return Object.hasOwn(known, channel) ? (known[channel] ?? channel) : channel;
  }

  function messagesOf(where: string | TestMember): readonly Message[] {
    const isOfBot = ({ author, interaction_metadata }: Message) =>
      author.id === discord.applicationId && interaction_metadata === undefined;
    const all = typeof where === 'string' ? discord.messages(channelIdOf(where)) : discord.directMessages(where.id);
    return all.filter(isOfBot);
  }

  return {
    member(name = discord.members[0]?.username ?? '') {
      const person = discord.members.find(({ username, displayName }) => username === name || displayName === name);
      if (person === undefined) {
        const names = discord.members.map(({ username, displayName }) => displayName ?? username).join(', ');
        throw new LocalDiscordError('unknown_user', `There is no member ${name}.`, { hint: `There are ${names}.` });
      }
      return createMember(person, context, channelIdOf);
    },
    async nextMessage(where = 'general') {
      const timeout = AbortSignal.timeout(messageTimeoutMs);
      for (;;) {
        const message = messagesOf(where).find(({ id }) => !taken.has(id));
        if (message === undefined) {
          await once(discord.events, 'change', { signal: timeout }).catch(() => {
            throw new ApplicationDidNotRespondError();
          });
          continue;
        }
        taken.add(message.id);
        await context.answers();
        const userId = typeof where === 'string' ? (discord.members[0]?.id ?? '') : where.id;
        return createReply(context, { message, userId, modal: null });
      }
    },
  };
}

function createMember(person: Person, context: TestContext, channelIdOf: (channel: string) => string): TestMember {
  const { discord } = context;
  const { id: userId } = person;
  const toAction = (command: string, options: TestCommandOptions, channel = 'general') => {
    const values = Object.entries(options).map(([name, value]) => [name, isMember(value) ? value.id : value] as const);
    const action = { name: command.replace(/^\//, ''), userId, channelId: channelIdOf(channel) };
    return { ...action, options: Object.fromEntries(values) };
  };
  return {
    id: userId,
    name: person.displayName ?? person.username,
    run: (command, options = {}, { channel } = {}) =>
      awaitReply(context, userId, () => discord.runCommand(toAction(command, options, channel))),
    complete: (command, option, text, options = {}) =>
      discord.autocomplete({ ...toAction(command, options), focused: { name: option, value: text } }),
    get roles() {
      return discord.rolesOf(userId);
    },
  };
}

function isMember(value: OptionInput | TestMember): value is TestMember {
  return typeof value === 'object' && 'run' in value;
}

/** Turns of the event loop in which a bot goes on after its reply, for example with a collector. */
const turnsAfterAnswer = 50;
/** For a bot that replies through another client than the given one: then nothing tells that it has read the answer. */
const maxTurns = 5_000;

const isCallback = (path: string) => path.startsWith('/interactions/');

/**
 * A bot creates a collector after it has read Discord's answer to its reply, which is after a test sees the reply. What
 * is returned resolves when the client has read as many answers as it sent replies, some turns of the event loop later.
 */
function watchAnswers(client: BotClient, discord: LocalDiscord): () => Promise<void> {
  let read = 0;
  client.rest.on('response', ({ path }) => {
    if (isCallback(path)) read += 1;
  });
  const sent = () => discord.requests.filter(({ path }) => isCallback(path)).length;
  return async () => {
    for (let turn = 0; read < sent() && turn < maxTurns; turn += 1) await nextTurn();
    for (let turn = 0; turn < turnsAfterAnswer; turn += 1) await nextTurn();
  };
}
