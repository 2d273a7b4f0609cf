import type { CommandContext } from '../../commands/command.ts';
import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/schema.ts';
import { fetchApplicationId } from '../discord/inspection.ts';
import { conflictHint, inaccessibleHint } from '../discord/registrar.ts';
import { type RegistrationReport, registerCommands } from '../discord/registration.ts';
import { createDiscordRest } from '../discord/rest.ts';
import { createLookup } from '../lookup/client.ts';
import { systemClock } from '../platform/clock.ts';
import { messageOf, TallyhookError } from '../platform/errors.ts';
import { openStore } from '../store/store.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exitCode, type Terminal } from '../terminal/terminal.ts';
import { withConfig } from '../terminal/with-config.ts';
import { en } from '../texts/en.ts';

const help = `tallyhook register: registers the slash commands, on the guild that DISCORD_GUILD_ID names or everywhere, and exits

  --json  print the result as one JSON object: {outcome, guildId, created, updated, unchanged, deleted, conflicts, inaccessible}

\`tallyhook start\` does the same by itself; use this to register them ahead of time. The ids of the commands are stored in the
database (DATABASE_URL): only commands that tallyhook registered itself are ever changed or deleted.`;

/** `tallyhook register`. Throws TallyhookError `not_registered`, and what {@link commandContextFor} and {@link openStore} throw. */
export async function registerCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseOptions({ args: [...args], options: { help: { ...flag, short: 'h' }, json: flag } });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  return withConfig(terminal, async (config) => {
    const { discord } = config;
    const { guildId } = discord;
    const rest = createDiscordRest(discord);
    const context = commandContextFor(config);
    const store = await openStore(config.databaseUrl, systemClock, { thread: false });
    try {
      const registry = store.commandRegistry;
      const report = await fetchApplicationId(rest)
        .then((applicationId) => registerCommands({ rest, applicationId, guildId, commands, context, registry }))
        .catch((cause: unknown) => {
          if (cause instanceof TallyhookError) throw cause;
          throw new TallyhookError('not_registered', `Discord did not take the commands: ${messageOf(cause)}.`, {
            cause,
            hint: 'Check that Discord can be reached, DISCORD_TOKEN, and that the bot was invited with the scope applications.commands.',
          });
        });
      if (values.json) terminal.print(JSON.stringify({ outcome: outcomeOf(report), guildId, ...report }));
      else printReport(report, guildId, terminal);
    } finally {
      await store.close();
    }
    return exitCode.ok;
  });
}

function outcomeOf({ created, updated, deleted }: RegistrationReport): 'registered' | 'unchanged' {
  return created.length + updated.length + deleted.length === 0 ? 'unchanged' : 'registered';
}

function printReport(report: RegistrationReport, guildId: string | null, terminal: Terminal): void {
  const { created, updated, unchanged, deleted, conflicts, inaccessible } = report;
  const where = guildId === null ? 'everywhere' : `on guild ${guildId}`;
  const counted = Object.entries({ created, updated, unchanged, deleted }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.map((name) => `/${name}`).join(', ')}`],
  );
  terminal.print(
    outcomeOf(report) === 'unchanged' ? `Discord has these commands already (${where}).` : `Registered ${where}.`,
  );
  for (const line of counted) terminal.print(`  ${line}`);
  for (const { name, id } of conflicts) {
    terminal.printError(`/${name} (${id}) of another program was left alone, and ours is not offered. ${conflictHint}`);
  }
  for (const { name, id, guildId: guild } of inaccessible) {
    terminal.printError(`/${name} (${id}) could not be deleted on guild ${guild}. ${inaccessibleHint}`);
  }
}

/** What decides which commands are offered: the listings with a key. Throws TallyhookError `lookup_key_malformed`. */
export function commandContextFor({ lookup, listings }: Config): Pick<CommandContext, 'listings' | 'texts'> {
  const served = listings.flatMap(({ name, kind, lookupKey }) =>
    lookupKey === null
      ? []
      : [{ name, lookup: createLookup({ kind, baseUrl: lookup.baseUrl, key: lookupKey, clock: systemClock }) }],
  );
  return { listings: served, texts: en };
}
