import type { Services } from '../../commands/command.ts';
import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/schema.ts';
import { systemClock } from '../clock.ts';
import { ownApplicationId, registerCommands } from '../discord/registration.ts';
import { createDiscordRest } from '../discord/rest.ts';
import { messageOf, TallyhookError } from '../errors.ts';
import { createLookup } from '../lookup/client.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exit, type Terminal } from '../terminal/terminal.ts';
import { withConfig } from '../terminal/with-settings.ts';
import { en } from '../texts/en.ts';

const help = `tallyhook register: registers the slash commands, on the guild that DISCORD_GUILD_ID names or everywhere, and exits

  --json  print the result as one JSON object: {outcome, guildId}

\`tallyhook start\` does the same by itself; use this to register them ahead of time.`;

/** `tallyhook register`. Throws TallyhookError `not_registered`, and what {@link servicesFor} throws. */
export async function register(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseOptions({ args: [...args], options: { help: { ...flag, short: 'h' }, json: flag } });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  return withConfig(terminal, async (config) => {
    const { discord } = config;
    const rest = createDiscordRest(discord);
    const where = discord.guildId === null ? 'everywhere' : `on guild ${discord.guildId}`;
    const services = servicesFor(config);
    const outcome = await ownApplicationId(rest)
      .then((applicationId) => registerCommands({ rest, applicationId, guildId: discord.guildId, commands, services }))
      .catch((cause: unknown) => {
        throw new TallyhookError('not_registered', `Discord did not take the commands: ${messageOf(cause)}.`, {
          cause,
          cure: 'Check that Discord can be reached, DISCORD_TOKEN, and that the bot was invited with the scope applications.commands.',
        });
      });
    const sentence =
      outcome === 'unchanged' ? `Discord has these commands already (${where}).` : `Registered ${where}.`;
    terminal.print(values.json ? JSON.stringify({ outcome, guildId: discord.guildId }) : sentence);
    return exit.fine;
  });
}

/** What decides which commands are offered: the listings with a key. Throws TallyhookError `lookup_key_malformed`. */
export function servicesFor({ lookup, listings }: Config): Pick<Services, 'listings' | 'texts'> {
  const served = listings.flatMap(({ name, kind, lookupKey }) =>
    lookupKey === null
      ? []
      : [{ name, lookup: createLookup({ kind, baseUrl: lookup.baseUrl, key: lookupKey, clock: systemClock }) }],
  );
  return { listings: served, texts: en };
}
