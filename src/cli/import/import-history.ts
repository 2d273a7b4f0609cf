import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { loadConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import type { Community } from '../../features/communities/directory.ts';
import type { ImportItem } from '../../features/imports/items.ts';
import type { Store } from '../../features/store.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { memoryKeyv } from '../../lookup/memory-keyv.ts';
import type { SiteVote } from '../../lookup/sites/site-apis.ts';
import { createSiteClient } from '../../lookup/sites/site-client.ts';
import type { BulkOptions } from '../open-database.ts';
import { confirmed } from '../prompt.ts';
import { findCommunity, findListing } from './find-community.ts';
import { type Crediting, createImportReport, creditItems } from './import-files.ts';
import { readTime } from './interpret-row.ts';
import { createPreview, type ImportOptions, idOf, openForImport, printReport, recountAll } from './run-import.ts';

export interface HistoryImportOptions
  extends BulkOptions,
    Pick<ImportOptions, 'guildId' | 'listing' | 'name' | 'reason'> {
  /** The time of the first votes; null for as early as the site has any, or to continue. */
  readonly since: string | null;
}

/** As far back as a site looks (ms). */
const maxHistoryMs = 365 * day;
/** How far a repeated import goes back before the last vote of the one before (ms): a site may list a vote late. */
const overlapMs = hour;
/** Votes per transaction: some ms, in which others wait. */
const votesAtOnce = 250;
/** At most that of the bot, because they share the limit of the site. */
const requestTimeoutMs = 5 * second;

/** `tallyhook import --from-site`: the votes that the site of a listing has in its history. */
export async function importHistory(options: HistoryImportOptions, terminal: Terminal): Promise<number> {
  const { dryRun, yes, json } = options;
  const { stop } = terminal;
  const now = systemClock.now();
  const config = loadConfig(process.env);
  const { store, close } = await openForImport(config.databaseUrl, dryRun);
  try {
    const community = await findCommunity(config, store, options.guildId);
    const listing = findListing(onSites(community), options.listing);
    const readHistory = historyOf(config, store, community, listing);
    const name = options.name ?? `votes of ${listing}`;
    const { id: communityId } = community;
    const storedId = await idOf(store, name, communityId);
    const since = await startOf(options, store, { importId: storedId, listing, now });
    const votesSince = `the votes for ${listing} since ${new Date(since).toISOString()}`;
    const question = `Import ${votesSince} from its site? --dry-run shows what it would credit.`;
    if (!dryRun && !yes && !(await confirmed(question, 'Nothing was imported.', terminal))) return exitCode.ok;
    const importId = dryRun ? storedId : await store.imports.start({ name, communityId }, now);
    const reason = options.reason ?? `imported from ${name}`;
    const target = { importId, communityId, reason, listings: community.named.map(withoutSecrets) };
    const credit = dryRun
      ? createPreview(store, target)
      : (items: readonly ImportItem[]) => store.imports.apply(target, items, now);
    const report = createImportReport(null);
    const progress = startProgress(terminal, { unit: 'votes' });
    const votes = readHistory(since, { leavesHalf: true, signal: stop });
    // Votes arrive in the order of their times.
    const onVotes = (count: number, at: number) => progress.advanceTo(count, Math.min(1, (at - since) / (now - since)));
    await creditAll(votes, { listing, credit, report, onVotes, stop }).finally(progress.end);
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
  { since }: HistoryImportOptions,
  store: Store,
  { importId, listing, now }: { readonly importId: number; readonly listing: string; readonly now: number },
): Promise<number> {
  if (since !== null) return readTime('--since', since, now);
  const last = await store.imports.lastVoteAt(importId, listing);
  return last === null ? now - maxHistoryMs : last - overlapMs;
}

/** Passes all votes to `credit` as they arrive. @throws TallyhookError `stopped`, and LookupError */
async function creditAll(
  votes: AsyncIterable<SiteVote>,
  options: Crediting & {
    readonly listing: string;
    /** Called with the number of votes so far, and the time of the last one. */
    readonly onVotes: (count: number, at: number) => void;
    readonly stop: AbortSignal;
  },
): Promise<void> {
  const { listing, report, onVotes, stop } = options;
  let waiting: ImportItem[] = [];
  let count = 0;

  async function creditWaiting(): Promise<void> {
    const items = waiting.map((item) => ({ item, file: listing, line: 0 }));
    if (items.length > 0) await creditItems(items, options);
    waiting = [];
  }

  try {
    for await (const { userId, at } of votes) {
      report.addRow();
      // The key of an import from a file, so that one continues the other under the same name.
      waiting.push({ userId, key: `vote ${listing} ${at}`, credits: 0, vote: { listing, at, isTotal: false } });
      count += 1;
      if (waiting.length >= votesAtOnce) await creditWaiting();
      onVotes(count, at);
    }
    await creditWaiting();
  } catch (cause) {
    const continues = 'Run it again: it continues, and credits nothing twice.';
    if (stop.aborted) throw new TallyhookError('stopped', 'Stopped.', { hint: continues });
    if (!(cause instanceof LookupError)) throw cause;
    await creditWaiting();
    const { code, message, retryAt, hint } = cause;
    throw new LookupError(code, message, { retryAt, cause, hint: `${hint} ${continues}` });
  }
}
