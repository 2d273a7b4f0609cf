import { type SettingName, settings } from '../../../config/settings.ts';

/** What is asked for one setting. */
export interface Question {
  readonly name: SettingName;
  readonly text: string;
  /** Where to find it; shown before the question. */
  readonly help: string;
  /** `generate`: a random one without an answer. */
  readonly ifEmpty: 'required' | 'optional' | 'default' | 'generate';
}

/** In the order in which they are asked. At least one of the API keys is required. */
export const questions: readonly Question[] = [
  {
    name: 'DISCORD_TOKEN',
    text: 'Bot token',
    help: 'https://discord.com/developers/applications → your application (or a new one) → Bot → Reset Token.',
    ifEmpty: 'required',
  },
  {
    name: 'DISCORD_GUILD_ID',
    text: 'Id of your Discord server',
    help: 'Developer Mode on (Settings → Advanced), then right-click the server → Copy Server ID. Empty: no roles.',
    ifEmpty: 'optional',
  },
  {
    name: 'LOOKUP_BASE_URL',
    text: 'Base URL of the API of the listing service',
    help: 'From the documentation of the service; it ends in /api/v1.',
    ifEmpty: 'required',
  },
  {
    name: 'LOOKUP_SERVER_KEY',
    text: 'API key of the server',
    help: 'Dashboard of the service → Edit server → Advanced setup. Empty if only a bot is listed.',
    ifEmpty: 'optional',
  },
  {
    name: 'LOOKUP_BOT_KEY',
    text: 'API key of the bot',
    help: 'Dashboard of the service → Edit bot → Advanced setup. Empty if only a server is listed.',
    ifEmpty: 'optional',
  },
  {
    name: 'VOTE_WEBHOOK_SECRET',
    text: 'Webhook secret for votes',
    help: 'The secret from the dashboard. Empty: one is generated, for you to paste there.',
    ifEmpty: 'generate',
  },
  {
    name: 'PREMIUM_WEBHOOK_SECRET',
    text: 'Webhook secret for premium',
    help: 'As for votes. Empty if the service has none.',
    ifEmpty: 'optional',
  },
  {
    name: 'PUBLIC_URL',
    text: 'Public address of this program',
    help: 'Where the service sends its webhooks, such as https://votes.example.com. Empty if you do not know it yet.',
    ifEmpty: 'optional',
  },
  {
    name: 'ANNOUNCE_CHANNEL_ID',
    text: 'Id of the channel for announcements',
    help: 'Right-click the channel → Copy Channel ID. Empty: nothing is announced.',
    ifEmpty: 'optional',
  },
  { name: 'PORT', text: 'Port', help: 'Where this program listens.', ifEmpty: 'default' },
  {
    name: 'DATABASE_URL',
    text: 'Database',
    help: 'sqlite: followed by a path, or postgres://user:password@host/database.',
    ifEmpty: 'default',
  },
];

/** What is wrong with the text of a value; null if nothing is. */
export function formatProblem(name: SettingName, value: string): string | null {
  const setting = settings[name];
  return setting.schema.safeParse(value).success ? null : `This is not ${setting.expected}.`;
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
