import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { tokenProblem } from '@tallyhook/platform/pasted-forms';
import { type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { readSetting, type SettingName, settings } from '../../../config/settings.ts';
import { readDatabaseStatus } from '../../core/store/snapshots/snapshot.ts';
import { describeDiscordError } from '../../discord/discord-errors.ts';
import {
  fetchBotIdentity,
  fetchGuildName,
  fetchGuilds,
  fetchTextChannels,
  inspectChannel,
} from '../../discord/inspection.ts';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/client.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { linkableSites } from '../../webhook/sites/index.ts';
import type { Prompt } from '../prompt.ts';

interface Question {
  readonly name: SettingName;
  readonly text: string;
  /** Where to find it; shown before the question. */
  readonly help: string;
  /** `generate`: a random one without an answer. */
  readonly ifEmpty: 'required' | 'optional' | 'default' | 'generate';
  /** For owners on a site with the lookup API; `listing`: who do not link that listing in Discord. */
  readonly isOf?: 'service' | 'listing';
}

const questions: readonly Question[] = [
  {
    name: 'DISCORD_TOKEN',
    text: 'Bot token',
    help: 'https://discord.com/developers/applications → your application (or a new one) → Bot → Reset Token.',
    ifEmpty: 'required',
  },
  {
    name: 'LOOKUP_BASE_URL',
    text: 'Base URL of the lookup API',
    help: 'From the documentation of the site; it ends in /api/v1. Without a path, that is added. Empty: not now.',
    ifEmpty: 'optional',
    isOf: 'service',
  },
  {
    name: 'DISCORD_GUILD_ID',
    text: 'Your Discord server',
    help: 'Commands are offered there only, and roles of votes are given there. Empty: commands on all servers of the bot.',
    ifEmpty: 'optional',
  },
  {
    name: 'LOOKUP_SERVER_KEY',
    text: 'API key of the server',
    help: 'Dashboard of the service → Edit server → Advanced setup. Empty: none, or it is added with /setup.',
    ifEmpty: 'optional',
    isOf: 'listing',
  },
  {
    name: 'LOOKUP_BOT_KEY',
    text: 'API key of the bot',
    help: 'Dashboard of the service → Edit bot → Advanced setup. Empty if only a server is listed.',
    ifEmpty: 'optional',
    isOf: 'listing',
  },
  {
    name: 'VOTE_WEBHOOK_SECRET',
    text: 'Webhook secret for votes',
    help: 'The secret from the dashboard. Empty: one is generated, for you to paste there.',
    ifEmpty: 'generate',
    isOf: 'listing',
  },
  {
    name: 'PREMIUM_WEBHOOK_SECRET',
    text: 'Webhook secret for premium',
    help: 'As for votes. Empty if the service has none.',
    ifEmpty: 'optional',
    isOf: 'listing',
  },
  {
    name: 'PUBLIC_URL',
    text: 'Public address of this program',
    help: 'Where the sites send their webhooks, such as https://votes.example.com. Empty if you do not know it yet.',
    ifEmpty: 'optional',
  },
  {
    name: 'ANNOUNCE_CHANNEL_ID',
    text: 'Channel for announcements',
    help: 'Empty: nothing is announced.',
    ifEmpty: 'optional',
    isOf: 'listing',
  },
  { name: 'PORT', text: 'Port', help: 'Where this program listens.', ifEmpty: 'default' },
  {
    name: 'DATABASE_URL',
    text: 'Database',
    help: 'sqlite: followed by a path, or postgres://user:password@host/database.',
    ifEmpty: 'default',
  },
];

/** The answer as what is certainly meant, without what was pasted with it; as it is if it is not valid. */
function completeAnswer(name: SettingName, answer: string): string {
  const result = readSetting<unknown>(settings[name], answer);
  if (!result.success) return answer;
  const { data } = result;
  return typeof data === 'string' || typeof data === 'number' || Array.isArray(data) ? String(data) : answer;
}

/** Problem of the text of a value, as a sentence; null if nothing is. @param discordApiUrl where a token is valid */
function formatProblem(name: SettingName, value: string, discordApiUrl: string): string | null {
  const setting = settings[name];
  const result = readSetting<unknown>(setting, value);
  const ofToken = name === 'DISCORD_TOKEN' && result.success ? tokenProblem(String(result.data), discordApiUrl) : null;
  const problem = result.success ? ofToken : result.problem;
  if (result.success && problem === null) return null;
  return `This is not ${setting.expected}${problem === null ? '' : `: ${problem}`}.`;
}

export function isSecretSetting(name: SettingName): boolean {
  const setting = settings[name];
  return 'secret' in setting || 'isAddress' in setting;
}

export function defaultOf(name: SettingName): string | undefined {
  const setting = settings[name];
  return 'default' in setting ? setting.default : undefined;
}

/** The values of settings, and which of them were generated. */
export interface Answers {
  readonly values: EnteredValues;
  readonly generated: ReadonlySet<SettingName>;
  /** The names of the sites whose listings are linked in Discord; empty if that was not asked. */
  readonly sites: readonly string[];
}

interface AnswerContext {
  readonly given: ReadonlyMap<SettingName, string>;
  /** The value that a setting has, wherever it is from. */
  current(name: SettingName): string | undefined;
  /** Returns whether the value is in a file of its own (`NAME_FILE`). */
  isInFile(name: SettingName): boolean;
  readonly checks: ReturnType<typeof createLiveChecks>;
  readonly discordApiUrl: string;
  readonly choices: Partial<Readonly<Record<SettingName, FetchChoices>>>;
  readonly terminal: Terminal;
}

const keyNames: readonly SettingName[] = ['LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY'];

/** Sites by their most votes, then what is no site of this list. */
const siteChoices = [
  ...linkableSites.map(({ id, name, kinds }) => ({
    value: id,
    label: name,
    hint: kinds.map((kind) => `${kind}s`).join(' and '),
  })),
  { value: 'service', label: 'A site with the lookup API', hint: 'its documents name an address that ends in /api/v1' },
  { value: 'custom', label: 'Another site', hint: 'described when it is linked' },
];

/** Asks for each setting until its value is valid. Throws what {@link Prompt} throws. */
export async function answerAll(context: AnswerContext, prompt: Prompt): Promise<Answers> {
  const { terminal, given, current, isInFile } = context;
  const isSet = ({ name }: Question) => Boolean(current(name)) || isInFile(name);
  const usesService = questions.some((question) => question.isOf && isSet(question));
  const chosen = await prompt.chooseSeveral('Where are you listed?', siteChoices, usesService ? ['service'] : []);
  const others = siteChoices.filter(({ value }) => value !== 'service' && chosen.includes(value));
  const sites = others.map(({ label, value }) => (value === 'custom' ? 'another site' : label));
  if (sites.length > 0) terminal.print(`A listing on ${listed(sites)} is linked in Discord, with /setup.`);

  const isOnService = chosen.includes('service');
  const entered: Entered = { values: new Map(), generated: new Set() };
  let isLinkedHere: boolean | null = null;
  for (const question of questions) {
    const { name, isOf } = question;
    const fixed = given.get(name);
    if (fixed !== undefined) await acceptFixed(name, fixed, entered.values, context);
    if (fixed !== undefined || isInFile(name)) continue;
    if (isOf && !isOnService) continue;
    if (isOf === 'listing') isLinkedHere ??= await isLinkedBySettings(context, prompt);
    if (isOf === 'listing' && !isLinkedHere) continue;
    const value = await answerOne(question, context, prompt, entered);
    if (value !== null) entered.values.set(name, value);
  }
  return withSettingsKey({ ...entered, sites }, context);
}

interface Entered {
  readonly values: Map<SettingName, string>;
  readonly generated: Set<SettingName>;
}

/** The default is no, unless there are settings of a listing. */
async function isLinkedBySettings({ current, isInFile, terminal }: AnswerContext, prompt: Prompt): Promise<boolean> {
  const hasSettings = questions.some(({ name, isOf }) => isOf === 'listing' && (current(name) || isInFile(name)));
  terminal.print('\nWith /setup in Discord you paste the API key, and get an address and a secret for the webhook.');
  terminal.print('Otherwise you enter keys, secrets and a channel here.');
  return !(await prompt.confirm('Link the listing in Discord?', !hasSettings));
}

/** The value; null to leave the setting out. */
async function answerOne(
  question: Question,
  context: AnswerContext,
  prompt: Prompt,
  entered: Entered,
): Promise<string | null> {
  const { name, ifEmpty, help } = question;
  const { terminal, checks, choices } = context;
  terminal.print(`\n${help}`);
  const found = (await choices[name]?.(entered.values)) ?? [];
  for (;;) {
    const answer = completeAnswer(name, await askFor(question, found, context, prompt));
    if (answer === '') {
      if (ifEmpty !== 'generate') return null;
      entered.generated.add(name);
      terminal.print('✓ Generated.');
      return generateSecret();
    }
    const findings = (await checks[name]?.(answer, entered.values)) ?? [];
    for (const finding of findings) terminal.print(formatFinding(finding));
    if (findings.some(({ level }) => level === 'fail')) continue;
    // A default is left out: the image of the program has others, which the file would override.
    return ifEmpty === 'default' && answer === defaultOf(name) && !context.current(name) ? null : answer;
  }
}

const none = 'none';
const another = 'another';

async function askFor(
  { name, text, ifEmpty }: Question,
  found: readonly FoundId[],
  { current, discordApiUrl }: AnswerContext,
  prompt: Prompt,
): Promise<string> {
  const kept = current(name) || defaultOf(name);
  if (found.length > 0) {
    const options = [
      { value: none, label: 'None' },
      ...found.map(({ id, name: label }) => ({ value: id, label, hint: id })),
      { value: another, label: 'Another: enter its ID' },
    ];
    const chosen = await prompt.choose(text, options, found.some(({ id }) => id === kept) ? (kept ?? none) : none);
    if (chosen !== another) return chosen === none ? '' : chosen;
  }
  const isSecret = isSecretSetting(name);
  const hint = kept === defaultOf(name) ? `Enter: ${kept}` : 'Enter keeps the one that is set';
  return prompt.text({
    message: isSecret && kept !== undefined ? `${text} (${hint})` : text,
    kept,
    isSecret,
    validate(typed) {
      if (typed === '') return ifEmpty === 'required' ? 'This is needed. Ctrl-C leaves without writing.' : undefined;
      return formatProblem(name, completeAnswer(name, typed), discordApiUrl) ?? undefined;
    },
  });
}

/** `top.gg, Disurl, and Discord Bot List` */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}

/** The settings without questions, also without an API key. @throws UsageError with all missing and invalid values */
export async function collectAll(context: AnswerContext): Promise<Answers> {
  const { current, isInFile } = context;
  const values = new Map<SettingName, string>();
  const generated = new Set<SettingName>();
  const problems: string[] = [];
  const hasKey = keyNames.some((name) => isInFile(name) || Boolean(current(name)));
  for (const { name, ifEmpty } of questions) {
    if (isInFile(name)) continue;
    const value = current(name);
    if (value === undefined || value === '') {
      if (ifEmpty === 'required') problems.push(`${name} is missing.`);
      if (ifEmpty === 'generate' && hasKey) {
        values.set(name, generateSecret());
        generated.add(name);
      }
      continue;
    }
    try {
      await acceptFixed(name, value, values, context);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was written.`);
  return withSettingsKey({ values, generated, sites: [] }, context);
}

/** On PostgreSQL, `/setup` can store secrets only with a key, which SQLite has in a file of its own. */
function withSettingsKey(answers: Answers, { current, isInFile }: AnswerContext): Answers {
  const { values, generated } = answers;
  const isSet = (name: SettingName) => values.has(name) || isInFile(name) || Boolean(current(name));
  const database = values.get('DATABASE_URL') ?? current('DATABASE_URL') ?? '';
  const isServer = isInFile('DATABASE_URL') || /^postgres/.test(database);
  if (!isServer || isSet('SETTINGS_KEY')) return answers;
  return {
    ...answers,
    values: new Map([...values, ['SETTINGS_KEY', generateSecret()]]),
    generated: new Set([...generated, 'SETTINGS_KEY']),
  };
}

function generateSecret(): string {
  return randomBytes(32).toString('hex');
}

/** @throws UsageError if the value is invalid */
async function acceptFixed(
  name: SettingName,
  text: string,
  values: Map<SettingName, string>,
  { checks, terminal, discordApiUrl }: AnswerContext,
): Promise<void> {
  const value = completeAnswer(name, text);
  const problem = formatProblem(name, value, discordApiUrl);
  if (problem !== null) throw new UsageError(`${name}: ${problem}`);
  for (const finding of (await checks[name]?.(value, values)) ?? []) {
    if (finding.level === 'fail') throw new UsageError(`${name}: ${finding.message} ${finding.hint ?? ''}`.trimEnd());
    terminal.printError(`${name}: ${formatFinding(finding)}`);
  }
  values.set(name, value);
}

function formatFinding({ level, message, hint }: Finding): string {
  const sign = { pass: '✓', warn: '!', fail: '✗' }[level];
  return `${sign} ${message}${hint === null ? '' : ` ${hint}`}`;
}

type EnteredValues = ReadonlyMap<SettingName, string>;
type Check = (value: string, entered: EnteredValues) => Promise<readonly Finding[]>;

const requestTimeoutMs = 8 * second;
/** View Channel, Send Messages, Embed Links, Attach Files, Read Message History and Manage Roles. */
const invitePermissions = 268_553_216;
const laterHint = 'Run `tallyhook doctor` later to check it.';

/** Checks values with real requests, each as soon as it is entered. */
export function createLiveChecks(discordApiUrl: string): Partial<Readonly<Record<SettingName, Check>>> {
  const restWith = (token: string) => createDiscordRest({ token, apiUrl: discordApiUrl });

  async function withDiscord(
    entered: EnteredValues,
    check: (rest: DiscordRest) => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> {
    const token = entered.get('DISCORD_TOKEN');
    if (token === undefined) return [];
    try {
      return await check(restWith(token));
    } catch (error) {
      const { kind, reason } = describeDiscordError(error);
      if (kind === 'token') return [fail('Discord rejects this token (401).', 'Copy it again: Bot → Reset Token.')];
      if (kind === 'refused') return [fail(`Discord rejects the request (${reason}).`, 'Check DISCORD_API_URL.')];
      return [warn(`Discord could not be reached, so this was not checked: ${reason}.`, laterHint)];
    }
  }

  const checkKey =
    (kind: 'server' | 'bot'): Check =>
    async (key, entered) => {
      const baseUrl = entered.get('LOOKUP_BASE_URL');
      if (baseUrl === undefined) return [];
      try {
        const options = { kind, key, baseUrl, budget: memoryBudgetStore(), clock: systemClock };
        const { name } = await fetchProfileOfKey({ ...options, timeoutMs: requestTimeoutMs });
        return [pass(`This is the key of the ${kind} "${name}".`)];
      } catch (error) {
        return [describeLookupError(kind, error)];
      }
    };

  return {
    DISCORD_TOKEN: (token) =>
      withDiscord(new Map([['DISCORD_TOKEN', token]]), async (rest) => {
        const { name, applicationId } = await fetchBotIdentity(rest);
        const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=${invitePermissions}`;
        return [
          pass(`This is the token of "${name}" (${applicationId}).`),
          pass(`If it is not on your server yet, invite it: https://discord.com/oauth2/authorize?${query}`),
        ];
      }),
    DISCORD_GUILD_ID: (guildId, entered) =>
      withDiscord(entered, async (rest) => {
        const name = await fetchGuildName(rest, guildId);
        if (name !== null) return [pass(`This is the server "${name}".`)];
        return [fail('The bot is not on this server.', 'Invite it with the link above, or correct the id.')];
      }),
    ANNOUNCE_CHANNEL_ID: (channelId, entered) =>
      withDiscord(entered, async (rest) => {
        const { userId } = await fetchBotIdentity(rest);
        const access = await inspectChannel(rest, { channelId, userId, now: systemClock.now() });
        if (access.state === 'missing') return [fail('There is no such channel.', 'Copy the id again.')];
        if (access.state === 'hidden') {
          return [
            warn('The bot cannot see this channel.', 'Give it View Channel, Send Messages and Embed Links there.'),
          ];
        }
        if (access.state === 'unfit')
          return [fail(`"${access.name}" is not a channel for messages.`, 'Choose another.')];
        if (access.state !== 'seen') return [];
        const { name, missingPermissions: missing } = access;
        if (missing.length === 0) return [pass(`The bot can post in #${name}.`)];
        return [warn(`The bot cannot post in #${name}.`, `Give it there: ${missing.join(', ')}.`)];
      }),
    LOOKUP_SERVER_KEY: checkKey('server'),
    LOOKUP_BOT_KEY: checkKey('bot'),
    PUBLIC_URL: async (url) =>
      url.startsWith('https:') || /^http:\/\/(127\.|localhost)/.test(url)
        ? []
        : [warn('This address is not encrypted.', 'Most services send webhooks to https addresses only.')],
    PORT: async (port, entered) => checkPort(Number(port), entered.get('HOST') ?? '127.0.0.1'),
    DATABASE_URL: async (url) => {
      const status = await readDatabaseStatus(url);
      if (status.state === 'unreadable') return [warn(`The database cannot be used: ${status.reason}.`, laterHint)];
      if (status.state === 'foreign') return [fail('Another program has this database.', 'Choose another one.')];
      return [pass(status.state === 'absent' ? 'The database will be created.' : 'The database exists.')];
    },
  };
}

function describeLookupError(kind: 'server' | 'bot', error: unknown): Finding {
  if (error instanceof LookupError && error.code === 'lookup_key_refused') {
    return fail('The service rejects this key (401).', 'Copy it again from the dashboard.');
  }
  if (error instanceof LookupError && error.code === 'lookup_wrong_key_type') {
    return fail(`This key does not belong to a ${kind} (400).`, 'Keys of servers and of bots are different.');
  }
  if (error instanceof LookupError && error.code === 'lookup_not_found') {
    return fail('The address does not have this API (404).', 'Check LOOKUP_BASE_URL.');
  }
  return warn(`The key was not checked: ${messageOf(error)}`, laterHint);
}

function checkPort(port: number, host: string): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isUsed = error.code === 'EADDRINUSE';
      const problem = isUsed ? 'is in use by another program' : `cannot be used (${error.code})`;
      resolve([warn(`The port ${port} ${problem}.`, 'If it is tallyhook itself, continue. Otherwise choose another.')]);
    });
    server.listen(port, host, () => server.close(() => resolve([])));
  });
}

/** A server or channel. The name is external text. */
export interface FoundId {
  readonly id: string;
  readonly name: string;
}

/** Reads what an id can be chosen from; null if that is not known, so that the id has to be entered. */
type FetchChoices = (entered: EnteredValues) => Promise<readonly FoundId[] | null>;

/** The servers and channels that the entered bot token sees. */
export function createChoices(discordApiUrl: string): Partial<Readonly<Record<SettingName, FetchChoices>>> {
  const orNull = (fetch: (token: string, entered: EnteredValues) => ReturnType<FetchChoices>): FetchChoices => {
    return async (entered) => {
      const token = entered.get('DISCORD_TOKEN');
      // The check of the entered id says that Discord cannot be reached.
      return token === undefined ? null : fetch(token, entered).catch(() => null);
    };
  };
  const restWith = (token: string) => createDiscordRest({ token, apiUrl: discordApiUrl });
  return {
    DISCORD_GUILD_ID: orNull((token) => fetchGuilds(restWith(token))),
    ANNOUNCE_CHANNEL_ID: orNull(async (token, entered) => {
      const rest = restWith(token);
      const guildId = entered.get('DISCORD_GUILD_ID') ?? onlyOne(await fetchGuilds(rest))?.id;
      return guildId === undefined ? null : fetchTextChannels(rest, guildId);
    }),
  };
}

function onlyOne(found: readonly FoundId[]): FoundId | undefined {
  return found.length === 1 ? found[0] : undefined;
}
