import { commandsFor } from '../../commands/index.ts';
import { loadConfig } from '../../config/load.ts';
import { commandContextFor } from '../app/command-context.ts';
import { publishedLinkedRoles } from '../app/linked-roles.ts';
import { fetchApplicationId } from '../discord/inspection.ts';
import { updateApplication } from '../discord/registration/application-settings.ts';
import { conflictHint, inaccessibleHint } from '../discord/registration/registrar.ts';
import { type RegistrationReport, registerCommands } from '../discord/registration/registration.ts';
import { createDiscordRest } from '../discord/rest.ts';
import { systemClock } from '../platform/clock.ts';
import { messageOf, TallyhookError } from '../platform/errors.ts';
import { printProgress } from '../store/migrations/report-progress.ts';
import { openStore } from '../store/store.ts';
import { command } from '../terminal/command.ts';
import { exitCode, type Terminal } from '../terminal/terminal.ts';

const help = `tallyhook register: register the slash commands in the guild of DISCORD_GUILD_ID or globally, and exit

Usage
  tallyhook register [options]

Options
  --user-install  let members add the application to their own account, for the commands that work everywhere
  --json          print the result as a JSON object: {outcome, guildId, created, updated, unchanged, deleted, conflicts,
                  inaccessible, application}; outcome is "registered" or "unchanged"; application has the changed
                  settings of the application
  --help          print this help

With DISCORD_CLIENT_SECRET and PUBLIC_URL, the conditions and the page of linked roles are published, too.

\`tallyhook start\` registers them as well; use this to register them ahead of time. The ids of the commands are stored in
the database (DATABASE_URL), and only commands that tallyhook itself has registered are changed or deleted.

Exit codes: 0 registered or unchanged, 1 runtime error, 2 invalid usage or settings.`;

/**
 * `tallyhook register`. Reports TallyhookError `not_registered`, and what {@link commandContextFor} and
 * {@link openStore} throw.
 */
export const registerCommand = command({
  help,
  options: { json: { type: 'boolean', default: false }, 'user-install': { type: 'boolean', default: false } },
  async run({ values }, terminal) {
    const config = loadConfig(process.env);
    const { guildId } = config.discord;
    const commands = commandsFor(config);
    const rest = createDiscordRest(config.discord);
    const context = commandContextFor(config);
    const store = await openStore(config.databaseUrl, systemClock, {
      thread: false,
      onMigration: printProgress(terminal.printError, systemClock),
    });
    try {
      const registry = store.commandRegistry;
      const report = await fetchApplicationId(rest)
        .then(async (applicationId) => {
          const registered = await registerCommands({ rest, applicationId, guildId, commands, context, registry });
          const published = { userInstall: values['user-install'], linkedRoles: publishedLinkedRoles(config) };
          return { ...registered, application: await updateApplication(rest, applicationId, published) };
        })
        .catch((cause: unknown) => {
          if (cause instanceof TallyhookError) throw cause;
          throw new TallyhookError('not_registered', `The commands could not be registered: ${messageOf(cause)}.`, {
            cause,
            hint: 'Check the connection to Discord, DISCORD_TOKEN, and that the bot was invited with the scope applications.commands.',
          });
        });
      if (values.json) terminal.print(JSON.stringify({ outcome: outcomeOf(report), guildId, ...report }));
      else printReport(report, guildId, terminal);
    } finally {
      await store.close();
    }
    return exitCode.ok;
  },
});

type Report = RegistrationReport & { readonly application: readonly string[] };

function outcomeOf({ created, updated, deleted, application }: Report): 'registered' | 'unchanged' {
  return created.length + updated.length + deleted.length + application.length === 0 ? 'unchanged' : 'registered';
}

function printReport(report: Report, guildId: string | null, terminal: Terminal): void {
  const { created, updated, unchanged, deleted, conflicts, inaccessible } = report;
  const scope = guildId === null ? 'globally' : `in guild ${guildId}`;
  const isUnchanged = outcomeOf(report) === 'unchanged';
  terminal.print(isUnchanged ? `The commands are already registered ${scope}.` : `Registered ${scope}.`);
  for (const [change, names] of Object.entries({ created, updated, unchanged, deleted })) {
    if (names.length > 0) terminal.print(`  ${change}: ${names.map((name) => `/${name}`).join(', ')}`);
  }
  if (report.application.length > 0) terminal.print(`  application: ${report.application.join(', ')}`);
  for (const { name, id } of conflicts) {
    terminal.printError(`/${name} (${id}) belongs to another program, so ours was not registered. ${conflictHint}`);
  }
  for (const { name, id, guildId: guild } of inaccessible) {
    terminal.printError(`/${name} (${id}) could not be deleted in guild ${guild}. ${inaccessibleHint}`);
  }
}
