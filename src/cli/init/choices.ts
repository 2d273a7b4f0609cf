import type { SettingName } from '../../../config/settings.ts';
import { fetchGuilds, fetchTextChannels } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import type { EnteredValues } from './live-checks.ts';

/** A server or channel. The name is external text. */
export interface FoundId {
  readonly id: string;
  readonly name: string;
}

/** Reads what an id can be chosen from; null if that is not known, so that the id has to be entered. */
export type FetchChoices = (entered: EnteredValues) => Promise<readonly FoundId[] | null>;

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
