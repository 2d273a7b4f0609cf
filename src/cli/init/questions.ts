import { tokenProblem } from '@tallyhook/platform/pasted-forms';
import { readSetting, type SettingName, settings } from '../../../config/settings.ts';

/** What is asked for one setting. */
export interface Question {
  readonly name: SettingName;
  readonly text: string;
  /** Where to find it; shown before the question. */
  readonly help: string;
  /** `generate`: a random one without an answer. */
  readonly ifEmpty: 'required' | 'optional' | 'default' | 'generate';
  /**
   * Asked only of owners who are listed on a site with the lookup API; `listing`: and who do not link that listing in
   * Discord. Listings on all other sites are linked there.
   */
  readonly isOf?: 'service' | 'listing';
}

/** In the order in which they are asked. */
export const questions: readonly Question[] = [
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
export function completeAnswer(name: SettingName, answer: string): string {
  const result = readSetting<unknown>(settings[name], answer);
  if (!result.success) return answer;
  const { data } = result;
  return typeof data === 'string' || typeof data === 'number' || Array.isArray(data) ? String(data) : answer;
}

/** What is wrong with the text of a value; null if nothing is. @param discordApiUrl where a token is valid */
export function formatProblem(name: SettingName, value: string, discordApiUrl: string): string | null {
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

/** The default of a setting; undefined for none. */
export function defaultOf(name: SettingName): string | undefined {
  const setting = settings[name];
  return 'default' in setting ? setting.default : undefined;
}
