import { systemClock } from '@tallyhook/platform/clock';
import { formatCount, isoTime, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { plainName } from '@tallyhook/platform/truncate';
import { readValues } from '../../../config/environment.ts';
import { loadConfig, loadDatabaseUrl } from '../../../config/load.ts';
import type { AccountId } from '../../core/ledger/account.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import { fetchGuildName } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import type { StoredImport } from '../../features/imports/items.ts';
import { type BulkOptions, withStore } from '../open-database.ts';
import { confirmed } from '../prompt.ts';
import { communitiesOf } from './find-community.ts';

/** How long the list waits for Discord (ms). */
const nameTimeoutMs = 3 * second;
/** Members per transaction. */
const membersAtOnce = 20;

/** `tallyhook import --undo ID`, or the name of an import. */
export async function undoImport(
  wanted: string,
  { dryRun, yes, json }: BulkOptions,
  terminal: Terminal,
): Promise<number> {
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const stored = findImport(await store.imports.list(), wanted);
    const { id, name, communityId, state } = stored;
    if (state === 'undone') throw new UsageError(`The import ${id} was undone before.`);
    const what = `${formatCount(stored.credits, 'credit')} and ${formatCount(stored.votes, 'vote')}`;
    if (dryRun) {
      terminal.print(json ? JSON.stringify(stored) : `Would take back ${what} of "${name}", except what was spent.`);
      return exitCode.ok;
    }
    const question = `Take back ${what} of "${name}", except what members have spent?`;
    if (!yes && !(await confirmed(question, 'Nothing was taken back.', terminal))) return exitCode.ok;
    // The community may not be configured any more. Then there are no rules for streaks.
    const communities = await communitiesOf(config, store);
    const community = communities.find((each) => each.id === communityId);
    const listings = (community?.named ?? []).map(withoutSecrets);
    const target = { importId: id, communityId, listings, reason: `import of ${name}` };
    await store.imports.setState(id, 'undoing', systemClock.now());
    const totals = { members: 0, credits: 0, spent: 0, votes: 0, membersWhoSpent: 0 };
    let othersMembers = 0;
    for (let after: AccountId | null = null; ; ) {
      const members = await store.imports.members(id, after, membersAtOnce);
      if (members.length === 0) break;
      if (terminal.stop.aborted)
        throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
      const now = systemClock.now();
      const undone = await Promise.all(members.map((accountId) => store.imports.undoMember(target, accountId, now)));
      othersMembers += undone.filter((each) => each === null).length;
      for (const { credits, spent, votes } of undone.filter((each) => each !== null)) {
        totals.members += 1;
        totals.credits += credits;
        totals.spent += spent;
        totals.votes += votes;
        if (spent > 0) totals.membersWhoSpent += 1;
      }
      after = members.at(-1) ?? null;
    }
    if (stored.votes > 0) await store.counters.reset();
    await store.imports.setState(id, 'undone', systemClock.now());
    if (json) terminal.print(JSON.stringify({ id, name, guildId: stored.guildId, ...totals }));
    else for (const line of formatTotals(totals)) terminal.print(line);
    if (othersMembers > 0)
      terminal.printError('Another undo of this import ran at the same time, and reports the rest.');
    return exitCode.ok;
  });
}

/** The import with this id, or else with this name. @throws UsageError */
function findImport(imports: readonly StoredImport[], wanted: string): StoredImport {
  const byId = imports.find(({ id }) => String(id) === wanted);
  if (byId !== undefined) return byId;
  const named = imports.filter(({ name }) => name === wanted);
  // Once undone, a name can be used again.
  const current = named.filter(({ state }) => state !== 'undone');
  const [found, ...others] = current.length > 0 ? current : named.slice(-1);
  if (found === undefined) {
    const names = imports.map(({ name }) => name);
    throw new UsageError(withSuggestion(`There is no import "${wanted}": see --list.`, wanted, names));
  }
  if (others.length === 0) return found;
  const ids = current.map(({ id }) => id).join(' or ');
  throw new UsageError(`Several imports have the name "${wanted}", of different communities: use the id ${ids}.`);
}

function formatTotals({ members, credits, spent, votes, membersWhoSpent }: Record<string, number>): string[] {
  const taken = `${formatCount(credits ?? 0, 'credit')} and ${formatCount(votes ?? 0, 'vote')}`;
  const lines = [`Took back ${taken} of ${formatCount(members ?? 0, 'member')}.`];
  if (spent) {
    lines.push(
      `${formatCount(membersWhoSpent ?? 0, 'member')} had spent ${formatCount(spent, 'credit')}, which were not taken back.`,
    );
  }
  return lines;
}

/** `tallyhook import --list`. */
export async function listImports(json: boolean, { print }: Terminal): Promise<number> {
  return withStore(loadDatabaseUrl(process.env), async (store) => {
    const imports = await store.imports.list();
    if (json) {
      const rows = imports.map((each) => {
        const { communityId: _, startedAt, finishedAt, ...row } = each;
        return { ...row, startedAt: isoTime(startedAt), finishedAt: isoTime(finishedAt) };
      });
      print(JSON.stringify(rows, null, 2));
    } else if (imports.length === 0) print('Nothing was imported.');
    else {
      const names = await guildNamesOf(imports);
      for (const each of imports) print(formatImport(each, names));
    }
    return exitCode.ok;
  });
}

const states: Readonly<Record<StoredImport['state'], string>> = {
  importing: 'not complete: run it again',
  done: 'done',
  undoing: 'undo not complete: run --undo again',
  undone: 'undone',
};

/** The names of the guilds, as far as Discord says them to the bot now. */
async function guildNamesOf(imports: readonly StoredImport[]): Promise<ReadonlyMap<string, string>> {
  const guildIds = [...new Set(imports.flatMap(({ guildId }) => guildId ?? []))];
  const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl = '' } = readValues(process.env).values;
  if (token === undefined || guildIds.length === 0) return new Map();
  const rest = createDiscordRest({ token, apiUrl, timeoutMs: nameTimeoutMs });
  const names = await Promise.all(
    guildIds.map(async (guildId) => [guildId, await fetchGuildName(rest, guildId).catch(() => null)] as const),
  );
  return new Map(names.flatMap(([guildId, name]) => (name === null ? [] : [[guildId, plainName(name)]])));
}

function formatImport(
  { id, name, guildId, state, startedAt, credits, votes, spent }: StoredImport,
  names: ReadonlyMap<string, string>,
): string {
  const guildName = guildId === null ? undefined : names.get(guildId);
  const guild = guildId === null ? '' : ` in ${guildName === undefined ? `guild ${guildId}` : `"${guildName}"`}`;
  const rest = spent === 0 ? '' : `, ${formatCount(spent, 'credit')} were spent`;
  const contents = `${formatCount(credits, 'credit')}, ${formatCount(votes, 'vote')}`;
  return `${id}  ${isoTime(startedAt)}  ${name}${guild}: ${contents} (${states[state]}${rest})`;
}
