import { readSecret, type Terminal, UsageError } from '../../platform/terminal/terminal.ts';
import type { DiscordApplication } from '../discord-sign-in/discord-accounts.ts';
import { readSnowflake, type ServiceValues } from './options.ts';

const secretVariable = 'SERVICE_DISCORD_CLIENT_SECRET';

/**
 * The application with which members sign in; undefined without `--discord-client-id`.
 * @throws UsageError, and TallyhookError `unreadable_file`
 */
export async function readDiscordApplication(
  values: ServiceValues,
  terminal: Terminal,
): Promise<DiscordApplication | undefined> {
  const { 'discord-client-id': id, 'discord-client-secret-file': file, 'discord-api-url': apiUrl } = values;
  if (id === undefined) {
    if (file !== undefined || apiUrl !== undefined) throw new UsageError('--discord-client-id is missing.');
    return undefined;
  }
  const clientId = readSnowflake(id, '--discord-client-id');
  const secret = terminal.environment?.[secretVariable] || undefined;
  if (secret !== undefined && file !== undefined)
    throw new UsageError(`The client secret is set twice: remove ${secretVariable} or --discord-client-secret-file.`);
  if (secret === undefined && file === undefined)
    throw new UsageError(`The client secret is missing: set ${secretVariable} or --discord-client-secret-file.`);
  const clientSecret = (await readSecret({ secret, file }, terminal)).trim();
  if (apiUrl === undefined) return { clientId, clientSecret };
  if (!/^https?:\/\//.test(apiUrl) || !URL.canParse(apiUrl)) throw new UsageError('--discord-api-url must be a URL.');
  return { clientId, clientSecret, apiUrl: apiUrl.replace(/(?<!\/)\/+$/, '') };
}
