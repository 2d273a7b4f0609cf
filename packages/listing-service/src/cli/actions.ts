import { systemClock } from '@tallyhook/platform/clock';
import { formatCount, formatDuration, second } from '@tallyhook/platform/durations';
import type { Run } from '@tallyhook/platform/terminal/program';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { countOpenReports, listingsInState, moderationQueue, type ReportTarget } from '../abuse/reports.ts';
import { createListing } from '../actions/create-listing.ts';
import { generate } from '../generate/generate.ts';
import { isPossible, type Population } from '../generate/rows.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { issueSignInToken, signInLinkTtlMs } from '../storage/members/sign-in-links.ts';
import { readDatabaseAddress, readSnowflake, readText } from './options.ts';

/** The options of all commands that open the database. */
interface DatabaseOptions {
  readonly database?: string;
  readonly json?: boolean;
}

/** A command that opens the database. */
function onDatabase<Options>(
  run: (database: Database, options: Options, terminal: Terminal) => Promise<number>,
): Run<Options & DatabaseOptions> {
  return async (options, terminal) => {
    const database = await openDatabase(await readDatabaseAddress(options, terminal));
    try {
      return await run(database, options, terminal);
    } finally {
      await database.destroy();
    }
  };
}

interface AddOptions extends DatabaseOptions {
  readonly kind: 'server' | 'bot';
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly owner: string;
}

/** `listing-service add-listing`. */
export const addListing = onDatabase(async (database, values: AddOptions, { print }) => {
  const { kind, description = '' } = values;
  const discordId = readSnowflake(values.id, '--id');
  const name = readText(values.name, '--name');
  const ownerId = readSnowflake(values.owner, '--owner');
  const input = { kind, discordId, name, ownerId, description } as const;
  const { listing, key } = await createListing(database, input, systemClock.now());
  if (values.json) print(JSON.stringify({ id: listing.id, kind: listing.kind, name: listing.name, key }));
  else {
    print(`${listing.name} was added. Its API key, which cannot be shown again:`);
    print(`  ${key}`);
  }
  return exitCode.ok;
});

interface SignInOptions extends DatabaseOptions {
  readonly user: string;
  readonly name: string;
  readonly publicUrl: string;
}

/** `listing-service sign-in`. */
export const signIn = onDatabase(async (database, values: SignInOptions, { print }) => {
  const member = { userId: readSnowflake(values.user, '--user'), username: readText(values.name, '--name') };
  const token = await issueSignInToken(database, member, systemClock.now());
  const baseUrl = values.publicUrl.replace(/(?<!\/)\/+$/, '');
  const url = `${baseUrl}/sign-in/${token}`;
  if (values.json) print(JSON.stringify({ ...member, url, validSeconds: signInLinkTtlMs / second }));
  else {
    print(`Sign-in link for ${member.username}, valid once, for ${formatDuration(signInLinkTtlMs)}:`);
    print(`  ${url}`);
  }
  return exitCode.ok;
});

const maxRows = 100;

/** `listing-service moderation`: what waits for an operator. */
export const moderation = onDatabase(async (database, values: DatabaseOptions, { print }) => {
  const openReports = await countOpenReports(database);
  const { items } = await moderationQueue(database, { limit: maxRows, offset: 0 });
  const pending = await listingsInState(database, 'pending', maxRows);
  if (values.json) {
    const reported = items.map(({ target, total, reports }) => ({
      ...target,
      reports: total,
      reasons: reports.map(({ reason, text }) => ({ reason, text })),
    }));
    const waiting = pending.map(({ id, kind, name, ownerId }) => ({ id, kind, name, ownerId }));
    print(JSON.stringify({ openReports, reported, pending: waiting }));
    return exitCode.ok;
  }
  print(`${formatCount(openReports, 'open report')}, ${formatCount(pending.length, 'listing')} waiting for approval.`);
  for (const { id, kind, name, ownerId } of pending) print(`  pending ${kind} ${id}  ${name}, of ${ownerId}`);
  for (const { target, total, listing } of items) {
    print(`  ${formatCount(total, 'report')} of ${subject(target)}  ${listing?.name ?? 'deleted'}`);
  }
  return exitCode.ok;
});

function subject({ kind, listingId, reviewUserId }: ReportTarget): string {
  return kind === 'listing' ? `listing ${listingId}` : `the review of ${reviewUserId} for ${listingId}`;
}

/** `listing-service generate`: prints a JSON line per listing, and the progress as errors. */
export const generateRows = onDatabase(
  async (database, values: Readonly<Record<keyof Population, string>>, terminal) => {
    const { print, printError, stop } = terminal;
    const population = {
      listings: readCount(values.listings, '--listings'),
      members: readCount(values.members, '--members'),
      votes: readCount(values.votes, '--votes'),
      reviews: readCount(values.reviews, '--reviews'),
    };
    if (!isPossible(population))
      throw new UsageError('There are too few listings or members for these votes and reviews.');
    const startedAt = systemClock.monotonic();
    const progress = startProgress(terminal, { unit: 'rows' });
    const rows = await generate(database, {
      population,
      now: systemClock.now(),
      signal: stop,
      onListing: (listing) => print(JSON.stringify(listing)),
      onContinue: (rows) =>
        printError(`Continuing the run that was stopped after ${rows.toLocaleString('en-US')} rows.`),
      onProgress: (stored, total) => progress.advanceTo(stored, stored / Math.max(1, total)),
    }).finally(progress.end);
    const seconds = (systemClock.monotonic() - startedAt) / 1_000;
    const rate = Math.round(rows / seconds).toLocaleString('en-US');
    printError(`${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${rate} per second.`);
    if (!stop.aborted) return exitCode.ok;
    printError('Stopped: what was stored so far is complete in itself. The same command continues.');
    return exitCode.runtimeError;
  },
);

function readCount(value: string, option: string): number {
  const count = Number(value);
  if (/^\d{1,10}$/.test(value)) return count;
  throw new UsageError(`${option} must be an integer.`);
}
