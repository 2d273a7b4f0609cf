import { systemClock } from '@tallyhook/platform/clock';
import { isoTime, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Run } from '@tallyhook/platform/terminal/program';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { listingBase } from '../../config/describe.ts';
import { loadDatabaseUrl } from '../../config/load.ts';
import { deleteGuildData, keepParkedMs } from '../features/communities/departures.ts';
import { byTallyhook, type GuildState } from '../features/communities/store.ts';
import type { Store } from '../features/store.ts';
import { withStore } from './open-database.ts';
import { confirmed } from './prompt.ts';

/** Within this time every process applies a change (ms). */
const applyTimeoutMs = 6 * second;

export async function listGuilds({ json = false }: { json?: boolean }, terminal: Terminal): Promise<number> {
  return withStore(loadDatabaseUrl(process.env), async (store) => {
    printList(await store.communities.list(), json, terminal);
    return exitCode.ok;
  });
}

export const parkGuild = changeCommand('parked', async ({ communities }, { guildId }) => {
  await communities.setParked(guildId, { at: systemClock.now(), by: 'operator' });
  return true;
});

export const unparkGuild = changeCommand('unparked', async ({ communities }, { guildId }) => {
  await communities.setParked(guildId, null);
  return true;
});

export const deleteGuild = changeCommand('deleted', async (store, { guildId, parkedAt }, { yes }, terminal) => {
  const { communities: guilds, guildData } = store;
  if (parkedAt === null) throw new UsageError('The community is in use. Park it first.');
  const question = `Delete the settings and the data of ${guildId}? They cannot be restored.`;
  if (!yes && !(await confirmed(question, 'Nothing was deleted.', terminal))) return false;
  if (!isOperators(guildId)) {
    if (await guilds.deleteWebhookSecrets(guildId)) {
      terminal.printError('Waiting until no process receives its votes any more …');
      await systemClock.sleep(applyTimeoutMs, terminal.stop);
      if (terminal.stop.aborted)
        throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
    }
    await deleteGuildData(guildData, guildId, terminal.stop);
  }
  while (await guilds.deleteSettings(guildId)) terminal.printError('Deleting …');
  return true;
});

/** A command that changes one guild. @param change resolves to false if the change was declined */
function changeCommand(
  outcome: string,
  change: (store: Store, guild: GuildState, options: ChangeOptions, terminal: Terminal) => Promise<boolean>,
): Run<ChangeOptions> {
  return (options, terminal, [guildId]) =>
    withStore(loadDatabaseUrl(process.env), async (store) => {
      const guild = (await store.communities.list()).find((each) => each.guildId === guildId);
      if (guild === undefined) throw new UsageError('Specify the id of a guild in the list.');
      if (await change(store, guild, options, terminal)) terminal.print(`${guildId}: ${outcome}.`);
      return exitCode.ok;
    });
}

interface ChangeOptions {
  readonly yes?: boolean;
}

function isOperators(guildId: string): boolean {
  const base = listingBase(process.env);
  if (base === null) throw new UsageError('The settings are invalid: see tallyhook config --check.');
  return base.sources.some((source) => source.guildId === guildId);
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
