import { createHash } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { openJsonFile, readJsonFile } from '@tallyhook/platform/json-file';
import { createLog } from '@tallyhook/platform/log';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { installProcessErrorHandlers } from '@tallyhook/platform/terminal/process-errors';
import { resolveLogFormat } from '@tallyhook/platform/terminal/process-terminal';
import { Program } from '@tallyhook/platform/terminal/program';
import { exitCode, type Terminal, UsageError, untilStopped } from '@tallyhook/platform/terminal/terminal';
import { personNamed, applicationId as presetApplicationId, presetGuild } from './default-guild.ts';
import { privilegedIntents } from './flags.ts';
import { libraryAddresses } from './library-addresses.ts';
import { createToken, type LocalDiscord, startLocalDiscord } from './local-discord.ts';
import { isPersistent, persistedState } from './persistence.ts';

interface LocalDiscordOptions {
  readonly port: string;
  readonly token?: string;
  readonly applicationId?: string;
  readonly interactionsUrl?: string;
  readonly guild: string;
  readonly members?: string;
  readonly state?: string;
  readonly json?: boolean;
}

/** Runs `local-discord …` until the terminal is stopped, and resolves with the exit code. */
export function localDiscordCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return new Program('local-discord', terminal)
    .description('A Discord on this machine, to run and test bots in any language without an account.')
    .option('--port <port>', 'port of the page, the REST API and the gateway; 0 is a free one', '0')
    .option('--token <token>', "the bot's token (default: always the same one, which is printed)")
    .option(
      '--application-id <id>',
      `id of the application and its bot (default: that in the token, or ${presetApplicationId})`,
    )
    .option('--interactions-url <url>', "send interactions to this URL, once it answers Discord's check")
    .option('--guild <name>', 'name of the guild', presetGuild.name)
    .option(
      '--members <names>',
      'names of its members, with commas; the first one owns it (default: Mira and three others)',
    )
    .option('--state <file>', 'keep messages, members and commands in this file, also for the next start')
    .option('--json', 'print the addresses and ids as a JSON object, and nothing else')
    .runs(async () => runLocalDiscord)
    .details(`
      It listens on 127.0.0.1, and prints the address of a page on which people use the bot, those of the API, ids, the
      variables to set, and how to set the address in each library. All intents are enabled, also the privileged ones.
      Without --interactions-url, interactions are sent through the gateway; they are signed with the printed public key,
      which follows from the token.

      Exit codes: 0 stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage.`)
    .run(args);
}

async function runLocalDiscord(values: LocalDiscordOptions, terminal: Terminal): Promise<number> {
  const port = parsePort(values.port);
  const identity = parseIdentity(values.token, values.applicationId);
  const interactionsUrl = values.interactionsUrl === undefined ? null : parseUrl(values.interactionsUrl);
  const guild = { ...presetGuild, name: parseGuildName(values.guild) };
  const people = values.members === undefined ? {} : { people: parseMembers(values.members) };
  const statePath = values.state === undefined ? null : parseStatePath(values.state);

  const log = createLog({ level: 'warn', secrets: [], format: resolveLogFormat('auto') });
  const removeErrorHandlers = installProcessErrorHandlers(log);
  try {
    const initialState = statePath === null ? null : readJsonFile(statePath, persistedState, log);
    const settings = { port, guild, page: true, grantedIntents: privilegedIntents, log, initialState };
    const discord = await startLocalDiscord({ ...settings, ...identity, ...people });
    await discord.pageReady();
    const snapshot = () => discord.exportState();
    const file = statePath === null ? null : openJsonFile({ path: statePath, snapshot, stopwatch: systemClock, log });
    discord.events.on('change', ({ kind }) => {
      if (isPersistent(kind)) file?.scheduleWrite();
    });
    terminal.print(values.json ? JSON.stringify(describe(discord)) : banner(discord, guild.name));
    if (interactionsUrl !== null) void useEndpoint(discord, interactionsUrl, terminal);
    await untilStopped(terminal.stop);
    await file?.stop();
    await discord.stop();
    return exitCode.ok;
  } finally {
    removeErrorHandlers();
  }
}

/** Sets the endpoint as soon as it passes Discord's check: the bot starts after this program, whose public key it needs. */
async function useEndpoint(discord: LocalDiscord, url: string, { printError, stop }: Terminal): Promise<void> {
  for (let attempt = 0; !stop.aborted; attempt += 1) {
    try {
      await discord.setInteractionsEndpoint(url);
      printError(`Interactions are sent to ${url} from now on.`);
      return;
    } catch {
      if (attempt === 0) {
        printError(
          `${url} does not pass the check yet, which is repeated each second: it must answer a PING that is signed with ` +
            'the public key by {"type":1}, and any other by 401. Until then, interactions use the gateway.',
        );
      }
      await systemClock.sleep(second, stop);
    }
  }
}

/** The addresses and ids that a program needs. */
function describe(discord: LocalDiscord) {
  const { origin, apiUrl, gatewayUrl, token, applicationId, publicKey, guildId, channels, members } = discord;
  const { general, announcements } = channels;
  return {
    ...{ page: origin, apiUrl, gatewayUrl, token, applicationId, publicKey, guildId },
    channels: { general, announcements },
    members: members.map(({ id, username }) => ({ id, username })),
  };
}

function banner(discord: LocalDiscord, guildName: string): string {
  const { origin, apiUrl, gatewayUrl, token, applicationId, publicKey, guildId, members } = discord;
  const variables = {
    DISCORD_API_URL: apiUrl,
    DISCORD_GATEWAY_URL: gatewayUrl,
    DISCORD_TOKEN: token,
    DISCORD_APPLICATION_ID: applicationId,
    DISCORD_PUBLIC_KEY: publicKey,
    DISCORD_GUILD_ID: guildId,
  };
  const { NODE_OPTIONS } = discord.botEnvironment;
  return [
    'local-discord: everything runs on this machine. Ctrl+C stops it.',
    '',
    `  Page            ${origin}`,
    `  REST API        ${apiUrl}`,
    `  Gateway         ${gatewayUrl}`,
    `  Token           ${token}`,
    `  Application id  ${applicationId}`,
    `  Public key      ${publicKey}`,
    `  Guild id        ${guildId} (${guildName})`,
    `  Members         ${members.map(({ id, username }) => `${username} (${id})`).join(', ')}`,
    '',
    'Variables, for a bot that reads them',
    ...Object.entries(variables).map(([name, value]) => `  ${name}=${value}`),
    '',
    'How to set the address in each library',
    `  discord.js, Sapphire, discordx (nothing changes in the bot)\n    NODE_OPTIONS=${NODE_OPTIONS}`,
    ...libraryAddresses(discord).map(({ libraries, lines }) => `  ${[libraries, ...lines].join('\n    ')}`),
  ].join('\n');
}

function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}".`);
}

/** Tokens begin with the id of their application, which many libraries read. */
function parseIdentity(token: string | undefined, id: string | undefined) {
  if (id !== undefined && !snowflakePattern.test(id)) {
    throw new UsageError(
      `--application-id must be an id of Discord, a number such as ${presetApplicationId}, not "${id}".`,
    );
  }
  if (token !== undefined && !/^\S+$/.test(token)) throw new UsageError('--token must not be empty or contain spaces.');
  const idInToken = Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString('latin1');
  const applicationId = id ?? (snowflakePattern.test(idInToken) ? idInToken : presetApplicationId);
  const secret = createHash('sha256').update(applicationId).digest().subarray(0, 24);
  return { applicationId, token: token ?? createToken(applicationId, secret) };
}

function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--interactions-url must begin with http:// or https://, not "${text}".`);
}

/** "name: 2-100 characters". Discord: "Guild Object". */
function parseGuildName(text: string): string {
  const name = text.trim();
  if (name.length >= 2 && name.length <= 100) return name;
  throw new UsageError('--guild must have 2 to 100 characters.');
}

/** "Usernames must be between 2 and 32 characters long." Discord: "User", usernames. */
function parseMembers(text: string) {
  const people = text.split(',').map((name, index) => personNamed(name.trim(), index));
  for (const { username, displayName } of people) {
    if (username.length < 2 || username.length > 32) {
      throw new UsageError(
        `--members must be names of 2 to 32 characters with commas in between, not "${displayName}".`,
      );
    }
    const same = people.filter((other) => other.username === username);
    if (same.length > 1)
      throw new UsageError(`--members must have different names: ${same.map((each) => each.displayName).join(', ')}.`);
  }
  return people;
}

function parseStatePath(text: string): string {
  const path = resolve(text);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--state must be in a folder that can be written: ${messageOf(error)}.`);
  }
  return path;
}
