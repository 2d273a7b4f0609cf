import { systemClock } from '@tallyhook/platform/clock';
import { day, formatCount, hour, isoTime, second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { plainName } from '@tallyhook/platform/truncate';
import { readValues } from '../../../config/environment.ts';
import { loadConfig, loadDatabaseUrl } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { maxReasonLength } from '../../core/ledger/correction.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import { fetchGuildName } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import { type Community, withoutGuild } from '../../features/communities/directory.ts';
import type { ImportItem } from '../../features/imports/items.ts';
import type { StoredImport } from '../../features/imports/store.ts';
import type { Store } from '../../features/store.ts';
import { memoryKeyv } from '../../lookup/memory-keyv.ts';
import type { SiteVote } from '../../lookup/sites/site-apis.ts';
import { createSiteClient } from '../../lookup/sites/site-client.ts';
import { type BulkOptions, communitiesOf, findCommunity, findListing, withStore } from '../open-database.ts';
import { confirmed } from '../prompt.ts';
import { readTime } from './interpret-row.ts';
import {
  createImportReport,
  createPreview,
  creditAll,
  type ImportArguments,
  idOf,
  membersOf,
  openForImport,
  printReport,
  recountAll,
  runImport,
} from './run-import.ts';

export async function importData(
  values: ImportArguments,
  terminal: Terminal,
  files: readonly string[],
): Promise<number> {
  const { json = false, yes = false, list, undo, dryRun = false, fromSite = false } = values;
  if (list || undo !== undefined) {
    if (files.length > 0) throw new UsageError(`Unexpected argument "${files[0]}".`);
    if (list) return listImports(json, terminal);
    if (!undo) throw new UsageError('--undo needs the id or the name of an import, as in --list.');
    return undoImport(undo, { dryRun, yes, json }, terminal);
  }
  if (files.length === 0 && !fromSite) throw new UsageError('Specify the file to import.');
  const { guild, reason, name, since } = values;
  const ofFiles = ['as', 'map', 'key', 'path', 'format', 'votesAt', 'rejected', 'decimal'] as const;
  const unused = fromSite ? (files[0] ?? ofFiles.find((option) => values[option] !== undefined)) : undefined;
  if (unused !== undefined) throw new UsageError(`With --from-site, "${unused}" has no meaning: it reads no file.`);
  if (since !== undefined && !fromSite) throw new UsageError('--since needs --from-site.');
  if (guild !== undefined && guild !== withoutGuild && !isSnowflake(guild))
    throw new UsageError('--guild needs the id of a Discord server (digits), or none.');
  if (name !== undefined && (name.trim() === '' || name.length > 100)) {
    throw new UsageError('--name needs 1 to 100 characters.');
  }
  if (reason !== undefined && (reason.trim() === '' || reason.length > maxReasonLength)) {
    throw new UsageError(`--reason needs 1 to ${maxReasonLength} characters.`);
  }
  return fromSite ? importHistory(values, terminal) : runImport(files, values, terminal);
}

/** The oldest time that a site's history goes back to (ms). */
const maxHistoryMs = 365 * day;
/** How far a repeated import goes back before the last vote of the one before (ms): a site may list a vote late. */
const overlapMs = hour;
/** At most that of the bot, because they share the limit of the site. */
const requestTimeoutMs = 5 * second;

async function importHistory(values: ImportArguments, terminal: Terminal): Promise<number> {
  const { dryRun = false, yes, json = false } = values;
  const now = systemClock.now();
  const config = loadConfig(process.env);
  const { store, close } = await openForImport(config.databaseUrl, dryRun);
  try {
    const community = await findCommunity(config, store, values.guild ?? null);
    const listing = findListing(onSites(community), values.listing ?? null);
    const readHistory = historyOf(config, store, community, listing);
    const name = values.name ?? `votes of ${listing}`;
    const { id: communityId } = community;
    const storedId = await idOf(store, name, communityId);
    const since = await startOf(values, store, { importId: storedId, listing, now });
    const votesSince = `the votes for ${listing} since ${new Date(since).toISOString()}`;
    const question = `Import ${votesSince} from its site? --dry-run shows what it would credit.`;
    if (!dryRun && !yes && !(await confirmed(question, 'Nothing was imported.', terminal))) return exitCode.ok;
    const importId = dryRun ? storedId : await store.imports.start({ name, communityId }, now);
    const reason = values.reason ?? `imported from ${name}`;
    const target = { importId, communityId, reason, listings: community.named.map(withoutSecrets) };
    const credit = dryRun
      ? createPreview(store, target)
      : (items: readonly ImportItem[]) => store.imports.apply(target, items, now);
    const report = createImportReport(null);
    const votes = readHistory(since, { leavesHalf: true, signal: terminal.stop });
    const parts = partsOf(votes, listing, (at) => Math.min(1, (at - since) / (now - since)));
    await creditAll(parts, { unit: 'votes', report, credit }, terminal);
    if (dryRun) return printReport(report, { json, name, importId: null }, terminal);
    await recountAll(store, target, terminal);
    await store.imports.setState(importId, 'done', systemClock.now());
    return printReport(report, { json, name, importId }, terminal);
  } finally {
    await close();
  }
}

/** The community without the listings of the service, which has no history. @throws UsageError */
function onSites(community: Community): Community {
  const named = community.named.filter(({ site }) => site !== undefined);
  if (named.length === 0) throw new UsageError('No listing is on a site with a history of votes, such as top.gg.');
  return { ...community, named };
}

/** @throws UsageError if the site of the listing has no history, or the key for it is missing */
function historyOf(config: Config, store: Store, { named }: Community, name: string) {
  const listing = named.find((each) => each.name === name);
  const site = listing?.site;
  const log = createLog({ level: 'silent', secrets: config.secrets });
  const client =
    listing === undefined || site === undefined
      ? null
      : createSiteClient(
          { site: site.id, kind: listing.kind, id: listing.id, key: site.key },
          {
            ...{ cache: memoryKeyv(), budget: store.budgetStore, clock: systemClock, log, timeoutMs: requestTimeoutMs },
            ...{ apiUrl: config.siteApiUrl, observe() {} },
          },
        );
  if (client?.history) return client.history;
  throw new UsageError(`The site of ${name} has no history of votes, or needs a siteKey for it: see docs/sites.md.`);
}

/** From when on votes are requested (ms since the epoch). */
async function startOf(
  { since }: ImportArguments,
  store: Store,
  { importId, listing, now }: { readonly importId: number; readonly listing: string; readonly now: number },
): Promise<number> {
  if (since !== undefined) return readTime('--since', since, now);
  const last = await store.imports.lastVoteAt(importId, listing);
  return last === null ? now - maxHistoryMs : last - overlapMs;
}

/** One part for each vote: they arrive in the order of their times. */
async function* partsOf(votes: AsyncIterable<SiteVote>, listing: string, shareOf: (at: number) => number) {
  for await (const { userId, at } of votes) {
    // The key of an import from a file, so that one continues the other under the same name.
    const key = `vote ${listing} ${at}`;
    const items = [{ userId, key, credits: 0, vote: { listing, at, isTotal: false } }];
    yield { rows: [{ file: listing, row: 0, read: { type: 'items', items } as const }], share: shareOf(at) };
  }
}

const nameTimeoutMs = 3 * second;
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
    for await (const members of membersOf(store, id, terminal)) {
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
