import { systemClock } from '@tallyhook/platform/clock';
import { isoTime, second } from '@tallyhook/platform/durations';
import { command } from '@tallyhook/platform/terminal/command';
import { confirm } from '@tallyhook/platform/terminal/confirm';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { listingBase } from '../../config/describe-listings.ts';
import { loadDatabaseUrl } from '../../config/load.ts';
import { deleteGuildData, keepParkedMs } from '../features/communities/departures.ts';
import { byTallyhook, type GuildState } from '../features/communities/store.ts';
import type { Store } from '../features/store.ts';
import { withStore } from './open-database.ts';

/** Within this time every process applies a change (ms). */
const applyTimeoutMs = 6 * second;

const actions = ['list', 'park', 'unpark', 'delete'];

const help = `tallyhook guilds: list, park or delete communities that were set up in Discord

Usage
  tallyhook guilds [list]         list the communities with settings of their own
  tallyhook guilds park GUILD     record votes, but post and give nothing in this guild until it is unparked
  tallyhook guilds unpark GUILD   use its settings again
  tallyhook guilds delete GUILD   delete the settings, secrets and accounts of a parked community, with their history

Options
  --json   print the list as a JSON array: [{guildId, parkedAt, parkedBy, deletedAt, missingSince, changedAt}]
  --yes    do not ask before a deletion
  --help   print this help

A community is parked by itself when it has removed the bot, and used again if it adds the bot within 30 days; then its
settings, accounts and deliveries are deleted. One that was parked here is deleted as well. Of a guild whose listings are
in the environment or the file, only the settings are deleted. Running processes apply a change within 5 seconds.

Exit codes: 0 success, 1 runtime error, 2 invalid usage or settings.`;

export const guildsCommand = command({
  help,
  options: { json: { type: 'boolean', default: false }, yes: { type: 'boolean', default: false } },
  allowPositionals: true,
  actions,
  async run({ values, positionals }, terminal) {
    const [action = 'list', guildId, ...others] = positionals;
    if (!actions.includes(action)) throw new UsageError(withSuggestion(`Unknown action "${action}".`, action, actions));
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    return withStore(loadDatabaseUrl(process.env), async (store) => {
      const all = await store.communities.list();
      if (action === 'list') {
        printList(all, values.json, terminal);
        return exitCode.ok;
      }
      const guild = all.find((each) => each.guildId === guildId);
      if (guild === undefined) throw new UsageError('Specify the id of a guild in the list.');
      return change(store, { action, guild, yes: values.yes }, terminal);
    });
  },
});

/** Whether the environment or the file names listings of the guild. */
function isOperators(guildId: string): boolean {
  const base = listingBase(process.env);
  if (base === null) throw new UsageError('The settings are invalid: see tallyhook config --check.');
  return base.sources.some((source) => source.guildId === guildId);
}

async function change(
  { communities: guilds, guildData }: Store,
  { action, guild, yes }: { action: string; guild: GuildState; yes: boolean },
  terminal: Terminal,
): Promise<number> {
  const { guildId, parkedAt } = guild;
  if (action === 'park') await guilds.setParked(guildId, { at: systemClock.now(), by: 'operator' });
  if (action === 'unpark') await guilds.setParked(guildId, null);
  if (action === 'delete') {
    if (parkedAt === null) throw new UsageError('The community is in use. Park it first.');
    const question = `Delete the settings and the data of ${guildId}? They cannot be restored.`;
    if (!yes && !(await confirm(question, 'Nothing was deleted.', terminal))) return exitCode.ok;
    if (!isOperators(guildId)) {
      if (await guilds.deleteWebhookSecrets(guildId)) {
        terminal.printError('Waiting until no process receives its votes any more …');
        await systemClock.sleep(applyTimeoutMs, terminal.stop);
        if (terminal.stop.aborted) return exitCode.runtimeError;
      }
      await deleteGuildData(guildData, guildId, terminal.stop);
    }
    while (await guilds.deleteSettings(guildId)) terminal.printError('Deleting …');
  }
  terminal.print(`${guildId}: ${action === 'delete' ? 'deleted' : `${action}ed`}.`);
  return exitCode.ok;
}

function printList(all: readonly GuildState[], json: boolean, terminal: Terminal): void {
  const list = all.map((guild) => ({
    guildId: guild.guildId,
    parkedAt: isoTime(guild.parkedAt),
    parkedBy: guild.parkedBy,
    deletedAt: isoTime(guild.parkedAt === null || guild.changedAt === null ? null : guild.parkedAt + keepParkedMs),
    missingSince: isoTime(guild.missingSince),
    changedAt: isoTime(guild.changedAt),
  }));
  if (json || list.length === 0) {
    terminal.print(json ? JSON.stringify(list, null, 2) : 'No community was set up in Discord.');
    return;
  }
  for (const { guildId, parkedAt, parkedBy, deletedAt, missingSince, changedAt } of list) {
    const reason = parkedBy === byTallyhook ? 'the bot was removed' : `by ${parkedBy}`;
    const end = deletedAt === null ? 'deleted' : `to be deleted ${deletedAt}`;
    const missing = missingSince === null ? '' : `, bot missing since ${missingSince}`;
    const state = parkedAt === null ? `in use${missing}` : `parked ${parkedAt} (${reason}), ${end}`;
    terminal.print(`${guildId}  ${state}${changedAt === null ? '' : `, changed ${changedAt}`}`);
  }
}
