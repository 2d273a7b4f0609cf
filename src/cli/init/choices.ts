import type { SettingName } from '../../../config/settings.ts';
import { fetchTextChannels } from '../../discord/guild-channels.ts';
import { fetchGuilds } from '../../discord/list-guilds.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import type { Terminal } from '../../platform/terminal/terminal.ts';
import type { EnteredValues } from './live-checks.ts';

/** A server or channel. The name is external text. */
export interface Choice {
  readonly id: string;
  readonly name: string;
}

/** Reads what an id can be chosen from; null if that is not known, so that the id has to be entered. */
export type FetchChoices = (entered: EnteredValues) => Promise<readonly Choice[] | null>;

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

function onlyOne(choices: readonly Choice[]): Choice | undefined {
  return choices.length === 1 ? choices[0] : undefined;
}

/** More would not fit on a screen. */
const maxShown = 20;

/** A numbered list from which one is chosen, by number, by name, by a part of the name, or by id. */
export class ChoiceList {
  readonly #all: readonly Choice[];
  #shown: readonly Choice[] = [];

  constructor(all: readonly Choice[]) {
    this.#all = all;
  }

  print(terminal: Terminal, choices = this.#all): void {
    this.#shown = choices.slice(0, maxShown);
    const width = String(this.#shown.length).length;
    for (const [index, { id, name }] of this.#shown.entries()) {
      terminal.print(`  ${String(index + 1).padStart(width)}  ${printable(name)}  (${id})`);
    }
    const others = choices.length - this.#shown.length;
    if (others > 0) terminal.print(`  … and ${others} more: enter a part of the name.`);
  }

  /** The id for an answer, an id itself; null after it has said what to enter. */
  resolve(answer: string, terminal: Terminal): string | null {
    // Ids have more digits.
    if (/^\d{15,}$/.test(answer)) return answer;
    const numbered = /^\d+$/.test(answer) ? this.#shown[Number(answer) - 1] : undefined;
    if (numbered !== undefined) return numbered.id;
    const wanted = answer.replace(/^#/, '').toLowerCase();
    const same = this.#all.filter(({ name }) => name.toLowerCase() === wanted);
    // A number that is not in the list is a mistake, even if it is a part of a name.
    const contains = ({ name }: Choice) => !/^\d+$/.test(wanted) && name.toLowerCase().includes(wanted);
    const similar = same.length > 0 ? same : this.#all.filter(contains);
    const found = onlyOne(similar);
    if (found !== undefined) return found.id;
    if (similar.length > 0) this.print(terminal, similar);
    else terminal.print('✗ This is neither a number nor a name of the list, nor an id.');
    return null;
  }
}

/** Without characters that could change what the terminal shows. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
}
