import { hash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { formatCount } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { loadConfig } from '../../../config/load.ts';
import type { AccountId, CommunityId } from '../../core/ledger/account.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import { minVoteGapMs } from '../../core/rewards/reward.ts';
import { readDatabaseStatus } from '../../core/store/snapshots/snapshot.ts';
import type { Community } from '../../features/communities/directory.ts';
import type { ImportItem, ImportTarget, ItemOutcome } from '../../features/imports/items.ts';
import { openStore, type Store } from '../../features/store.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { findCommunity, findListing, olderDatabase } from '../open-database.ts';
import { confirmed } from '../prompt.ts';
import {
  type Columns,
  createKeyReader,
  type DecimalSign,
  findColumns,
  type InterpretedRow,
  interpretRow,
  parseMapping,
  type RowRules,
  readTime,
  rejectLostDigits,
} from './interpret-row.ts';
import { type Fields, type FileFormat, type FileOptions, readRows, readText } from './read-rows.ts';

/** The options of `tallyhook import` as they are written. */
export interface ImportArguments {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly fromSite?: boolean;
  readonly round?: boolean;
  readonly decimal?: DecimalSign;
  readonly undo?: string;
  readonly as?: 'balances' | 'votes';
  readonly map?: string;
  readonly key?: string;
  readonly path?: string;
  readonly format?: FileFormat;
  readonly name?: string;
  readonly guild?: string;
  readonly listing?: string;
  readonly votesAt?: string;
  readonly since?: string;
  readonly reason?: string;
  readonly rejected?: string;
}

const sampleSize = 100;
const membersAtOnce = 20;

export async function runImport(
  files: readonly string[],
  values: ImportArguments,
  terminal: Terminal,
): Promise<number> {
  const { json = false, dryRun = false, rejected = null, votesAt } = values;
  const format = { format: values.format ?? null, path: values.path?.split('.') ?? [] };
  const now = systemClock.now();
  const sample = await readSample(files, format);
  const columns = findColumns(sample, parseMapping(values.map), values.key !== undefined);
  const readKey = values.key === undefined ? null : createKeyReader(values.key);
  const readId = (fields: Fields) => {
    const text = readText(fields, columns.user);
    return readKey === null ? text : (readKey(text)?.userId ?? '');
  };
  await rejectLostDigits(files, { ...format, readId });
  const config = loadConfig(process.env);
  const { store, close } = await openForImport(config.databaseUrl, dryRun);
  try {
    const community = await findCommunity(config, store, values.guild ?? null);
    const rowsAre = rowKindOf(values.as, columns);
    const hasVotes = rowsAre === 'votes' || columns.votes !== undefined;
    const needsListing = values.listing !== undefined || (hasVotes && columns.listing === undefined);
    const rules: RowRules = {
      columns,
      rowsAre,
      now,
      round: values.round ?? false,
      decimal: values.decimal ?? null,
      guildId: community.guildId,
      readKey,
      listing: needsListing ? findListing(community, values.listing ?? null) : null,
      listings: community.named.map(({ name }) => name),
      votesAt: votesAt === undefined ? null : readVotesAt(votesAt, community, now),
    };
    const parts = () => partsOf(files, { ...format, rules });
    const name = values.name ?? basename(files[0] ?? '');
    const target: ImportTarget = {
      importId: await idOf(store, name, community.id),
      communityId: community.id,
      reason: values.reason ?? `imported from ${name}`,
      listings: community.named.map(withoutSecrets),
    };
    if (!json) for (const line of previewRows(sample, rules, name)) terminal.printError(line);

    if (dryRun || !values.yes) {
      const report = createImportReport(dryRun ? rejected : null);
      await creditAll(parts(), { unit: 'rows', report, credit: createPreview(store, target) }, terminal);
      if (dryRun) return printReport(report, { json, name, importId: null }, terminal);
      for (const line of report.lines(false)) terminal.printError(line);
      const declined = 'Nothing was imported.';
      if (!report.hasCredited()) terminal.printError(declined);
      if (!report.hasCredited() || !(await confirmed('Import this now?', declined, terminal))) return exitCode.ok;
    }
    const report = createImportReport(rejected);
    const importId = await store.imports.start({ name, communityId: community.id }, now);
    const credit = (items: readonly ImportItem[]) => store.imports.apply({ ...target, importId }, items, now);
    await creditAll(parts(), { unit: 'rows', report, credit }, terminal);
    if (hasVotes) await recountAll(store, { ...target, importId }, terminal);
    await store.imports.setState(importId, 'done', systemClock.now());
    return printReport(report, { json, name, importId }, terminal);
  } finally {
    await close();
  }
}

/** Says what items would credit, after those before them. */
export function createPreview(store: Store, target: ImportTarget) {
  const complete = createRehearsal(target);
  return async (items: readonly ImportItem[]): Promise<readonly ItemOutcome[]> => {
    const outcomes = await store.imports.preview(target, items);
    return items.flatMap((item, index) => {
      const outcome = outcomes[index];
      return outcome === undefined ? [] : [complete(item, outcome)];
    });
  };
}

/** Brings streaks up to date with the votes, after all of them are there. */
export async function recountAll(store: Store, target: ImportTarget, terminal: Terminal): Promise<void> {
  terminal.printError('Bringing streaks up to date …');
  const progress = startProgress(terminal, { label: 'Streaks', unit: 'members' });
  let done = 0;
  try {
    for await (const members of membersOf(store, target.importId, terminal)) {
      const now = systemClock.now();
      await Promise.all(members.map((accountId) => store.imports.recount(target, accountId, now)));
      done += members.length;
      progress.advanceTo(done);
    }
  } finally {
    progress.end();
  }
}

/** The members of an import, some at a time: those of one transaction. @throws TallyhookError `stopped` */
export async function* membersOf({ imports }: Store, importId: number, { stop }: Terminal) {
  for (let after: AccountId | null = null; ; ) {
    const members: readonly AccountId[] = await imports.members(importId, after, membersAtOnce);
    if (members.length === 0) return;
    if (stop.aborted) throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
    yield members;
    after = members.at(-1) ?? null;
  }
}

async function readSample(files: readonly string[], options: FileOptions): Promise<readonly Fields[]> {
  const sample: Fields[] = [];
  for (const file of files) {
    for await (const { rows } of readRows(file, options)) {
      sample.push(...rows.slice(0, sampleSize - sample.length).map(({ fields }) => fields));
      if (sample.length === sampleSize) return sample;
    }
  }
  if (sample.length === 0) throw new TallyhookError('invalid_import_file', 'The file has no rows.');
  return sample;
}

function rowKindOf(rowsAre: ImportArguments['as'], { credits, votes, time }: Columns): 'balances' | 'votes' {
  if (rowsAre === 'votes' && time === undefined) {
    throw new UsageError('Votes need a time: name its column with --map time=NAME.');
  }
  if (rowsAre !== undefined) return rowsAre;
  if (time !== undefined && credits === undefined && votes === undefined) return 'votes';
  if (time !== undefined && votes === undefined) {
    throw new UsageError('Rows have a time and credits. Choose what they are: --as balances, or --as votes.');
  }
  if (credits !== undefined || votes !== undefined) return 'balances';
  throw new UsageError('No column with credits, votes or times was found. Name one: --map credits=NAME.');
}

function readVotesAt(text: string, { named }: Community, now: number): number {
  const at = readTime('--votes-at', text, now);
  const gapMs = Math.max(0, ...named.map(({ rewards }) => minVoteGapMs(rewards.base)));
  if (now - at >= gapMs) return at;
  // Nobody has voted at this time, so nobody may have to wait after it.
  const latest = new Date(now - gapMs).toISOString();
  throw new UsageError(`--votes-at: the next votes would be within the cooldown. Use a time before ${latest}.`);
}

/** The id of the import with this name; -1 for a new one. */
export async function idOf(store: Store, name: string, communityId: CommunityId): Promise<number> {
  const imports = await store.imports.list();
  return (
    imports.find((each) => each.name === name && each.communityId === communityId && each.state !== 'undone')?.id ?? -1
  );
}

/** A dry run creates no database, and an import upgrades none. */
export async function openForImport(url: string, dryRun: boolean) {
  const status = await readDatabaseStatus(url);
  if (status.state === 'older') throw olderDatabase();
  const directory = status.state === 'absent' && dryRun ? mkdtempSync(join(tmpdir(), 'tallyhook-import-')) : null;
  const path = directory === null ? url : `sqlite:${join(directory, 'empty.db')}`;
  const store = await openStore(path, systemClock, { thread: false });
  return {
    store,
    async close() {
      await store.close();
      if (directory !== null) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @param importId null if it was only rehearsed */
export function printReport(
  report: ImportReport,
  { json, name, importId }: { readonly json: boolean; readonly name: string; readonly importId: number | null },
  { print }: Terminal,
): number {
  const isDone = importId !== null;
  if (json) print(JSON.stringify({ imported: isDone, id: importId, name, ...report.json() }));
  else {
    for (const line of report.lines(isDone)) print(line);
    if (isDone) print(`To take it back: tallyhook import --undo ${importId}`);
  }
  return report.rejectedRows() === 0 ? exitCode.ok : exitCode.runtimeError;
}

/** Completes what a dry run finds in the ledger by what the earlier rows would have stored there. */
export function createRehearsal({ listings }: Pick<ImportTarget, 'listings'>) {
  // By a digest: a million texts would need more than 100 MB, and two of them are the same with a probability of 1 : 10,000.
  const amounts = new Map<number, number>();
  const times = new Map<number, number>();
  const gaps = new Map(listings.map(({ name, rewards }) => [name, minVoteGapMs(rewards.base)]));

  /** Counted votes of a listing are at least the gap apart, so a period of that length has at most one. */
  function isTooClose(userId: string, { listing, at }: NonNullable<ImportItem['vote']>): boolean {
    const gapMs = gaps.get(listing) ?? 0;
    if (gapMs === 0) return false;
    const period = Math.floor(at / gapMs);
    const isClose = [period - 1, period, period + 1].some((each) => {
      const other = times.get(digestOf(`${userId} ${listing} ${each}`));
      return other !== undefined && Math.abs(other - at) < gapMs;
    });
    if (!isClose) times.set(digestOf(`${userId} ${listing} ${period}`), at);
    return isClose;
  }

  /** @param outcome what the ledger says */
  return ({ userId, key, credits, vote }: ImportItem, outcome: ItemOutcome): ItemOutcome => {
    if (outcome.outcome !== 'credited') return outcome;
    const id = digestOf(`${userId} ${key}`);
    const before = amounts.get(id);
    if (before !== undefined) {
      return before === credits ? { outcome: 'imported' } : { outcome: 'different', credits: before };
    }
    if (vote !== null && !vote.isTotal && isTooClose(userId, vote)) return { outcome: 'within_cooldown' };
    amounts.set(id, credits);
    return outcome;
  };
}

/** 52 bits. */
function digestOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 13), 16);
}

/** Items per transaction: some ms, in which votes wait. */
const itemsAtOnce = 250;

interface Place {
  readonly file: string;
  readonly row: number;
}

/** Rows of what is imported. */
interface ImportPart {
  readonly rows: readonly (Place & { readonly read: InterpretedRow })[];
  /** How much has been read with it, from 0 to 1. */
  readonly share: number;
}

interface Crediting {
  readonly unit: 'rows' | 'votes';
  readonly report: ImportReport;
  readonly credit: (items: readonly ImportItem[]) => Promise<readonly ItemOutcome[]>;
}

/**
 * Credits what the parts contain as they are read, and reports what became of it.
 * @throws TallyhookError `stopped`, LookupError, and what `credit` throws
 */
export async function creditAll(
  parts: AsyncIterable<ImportPart>,
  { unit, report, credit }: Crediting,
  terminal: Terminal,
): Promise<void> {
  const progress = startProgress(terminal, { unit });
  const waiting: (Place & { readonly item: ImportItem })[] = [];
  let read = 0;

  async function creditWaiting(minimum: number): Promise<void> {
    while (waiting.length >= minimum) {
      terminal.stop.throwIfAborted();
      const some = waiting.splice(0, itemsAtOnce);
      const outcomes = await credit(some.map(({ item }) => item));
      for (const [index, { item, ...place }] of some.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) report.addItem(item, outcome, place);
      }
    }
  }

  try {
    for await (const { rows, share } of parts) {
      for (const { read, ...place } of rows) {
        report.addRow();
        if (read.type === 'skipped') report.skip(read.reason);
        else if (read.type === 'rejected') report.reject({ ...place, reason: read.reason });
        else for (const item of read.items) waiting.push({ item, ...place });
        if (waiting.length >= itemsAtOnce) await creditWaiting(itemsAtOnce);
      }
      report.flush();
      read += rows.length;
      progress.advanceTo(read, share);
    }
    await creditWaiting(1);
  } catch (cause) {
    const continues = 'Run it again: it continues, and credits nothing twice.';
    if (terminal.stop.aborted) throw new TallyhookError('stopped', 'Stopped.', { hint: continues });
    if (!(cause instanceof LookupError)) throw cause;
    await creditWaiting(1);
    const { code, message, retryAt, hint } = cause;
    throw new LookupError(code, message, { retryAt, cause, hint: `${hint} ${continues}` });
  } finally {
    report.flush();
    progress.end();
  }
}

async function* partsOf(
  files: readonly string[],
  { rules, ...options }: FileOptions & { readonly rules: RowRules },
): AsyncGenerator<ImportPart> {
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  let before = 0;
  for (const file of files) {
    let bytes = 0;
    for await (const { rows, bytesRead } of readRows(file, options)) {
      for (let start = 0; start < rows.length; start += itemsAtOnce) {
        const part = rows.slice(start, start + itemsAtOnce);
        bytes += ((bytesRead - bytes) * part.length) / (rows.length - start);
        yield {
          rows: part.map(({ row, fields }) => ({ file, row, read: interpretRow(fields, rules) })),
          share: (before + bytes) / size,
        };
      }
    }
    before += statSync(file).size;
  }
}

interface RejectedRow extends Place {
  readonly reason: string;
}

const shownLines = 5;

/** Adds up what became of rows. @param rejectedFile where all rejected rows are listed as CSV; null for nowhere */
export function createImportReport(rejectedFile: string | null) {
  const totals = { rows: 0, credits: 0, votes: 0, balances: 0, alreadyImported: 0 };
  const skipped = new Map<string, number>();
  const rejected = new Map<string, { count: number; first: RejectedRow[] }>();
  if (rejectedFile !== null) writeFileSync(rejectedFile, 'file,row,reason\r\n', { flag: 'wx', mode: 0o600 });
  let pending = '';

  function skip(reason: string): void {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }

  function reject(row: RejectedRow): void {
    const sum = rejected.get(row.reason) ?? { count: 0, first: [] };
    sum.count += 1;
    if (sum.first.length < shownLines) sum.first.push(row);
    rejected.set(row.reason, sum);
    if (rejectedFile !== null) pending += `"${row.file.replaceAll('"', '""')}",${row.row},"${row.reason}"\r\n`;
  }

  return {
    addRow(): void {
      totals.rows += 1;
    },
    skip,
    reject,
    addItem({ credits, vote }: ImportItem, outcome: ItemOutcome, row: Place) {
      switch (outcome.outcome) {
        case 'credited':
          totals.credits += credits;
          totals[vote === null ? 'balances' : 'votes'] += 1;
          return;
        case 'imported':
          totals.alreadyImported += 1;
          return;
        case 'within_cooldown':
          skip('votes within the cooldown of another one');
          return;
        case 'different':
          reject({ ...row, reason: 'the member has another amount from this import already' });
      }
    },
    /** Writes the rejected rows so far to their file. */
    flush(): void {
      if (rejectedFile !== null && pending !== '') appendFileSync(rejectedFile, pending);
      pending = '';
    },
    rejectedRows: () => [...rejected.values()].reduce((sum, { count }) => sum + count, 0),
    hasCredited: () => totals.balances + totals.votes > 0,
    json: () => ({
      ...totals,
      skipped: Object.fromEntries(skipped),
      rejected: [...rejected].map(([reason, { count, first }]) => ({
        reason,
        count,
        first: first.map(({ file, row }) => ({ file, row })),
      })),
    }),
    /** @param isDone whether it was imported, not only read */
    lines(isDone: boolean): string[] {
      const { rows, credits, votes, balances, alreadyImported } = totals;
      const what = [
        ...(balances > 0 ? [`the balances of ${formatCount(balances, 'member')}`] : []),
        ...(votes > 0 ? [formatCount(votes, 'vote')] : []),
      ];
      const verb = isDone ? 'Imported' : 'Would import';
      const imported =
        what.length === 0 ? `${isDone ? 'Imported' : 'Would import'} nothing` : `${verb} ${what.join(' and ')}`;
      return [
        `${imported} from ${formatCount(rows, 'row')}: ${formatCount(credits, 'credit')}.`,
        ...(alreadyImported > 0 ? [`  ${formatCount(alreadyImported, 'entry', 'entries')} imported before`] : []),
        ...[...skipped].map(([reason, count]) => `  ${count.toLocaleString('en')} left out: ${reason}`),
        ...[...rejected].map(([reason, { count, first }]) => {
          const shown = first.map(({ row }) => row).join(', ');
          return `  ${formatCount(count, 'row')} rejected: ${reason} (row ${shown}${count > first.length ? ', …' : ''})`;
        }),
      ];
    },
  };
}

type ImportReport = ReturnType<typeof createImportReport>;

const shownRows = 3;

function previewRows(sample: readonly Fields[], rules: RowRules, name: string): string[] {
  const columns = Object.entries(rules.columns).map(([field, column]) => `${field} = ${column}`);
  const rows = sample.slice(0, shownRows).map((fields) => `  ${describeRow(fields, rules)}`);
  const kind = rules.rowsAre === 'votes' ? 'One vote per row' : 'One member per row';
  return [`Import "${name}". ${kind}: ${columns.join(', ')}. The first rows:`, ...rows];
}

function describeRow(fields: Fields, rules: RowRules): string {
  const row = interpretRow(fields, rules);
  if (row.type !== 'items') return `${row.type}: ${row.reason}`;
  const [first] = row.items;
  const credits = row.items.reduce((sum, item) => sum + item.credits, 0);
  const votes = row.items.flatMap(({ vote }) => vote ?? []);
  const [vote] = votes;
  const at = vote === undefined ? '' : ` for ${vote.listing} at ${new Date(vote.at).toISOString()}`;
  const counted = votes.length === 0 ? '' : `, ${formatCount(votes.length, 'vote')}${at}`;
  return `${first?.userId}: ${formatCount(credits, 'credit')}${counted}`;
}
