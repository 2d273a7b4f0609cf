import { systemClock } from '@tallyhook/platform/clock';
import { formatCount, formatDuration, second } from '@tallyhook/platform/durations';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { countOpenReports, listingsInState, moderationQueue, type ReportTarget } from '../abuse/reports.ts';
import { createListing } from '../actions/create-listing.ts';
import { generate } from '../generate/generate.ts';
import { isPossible, type Population } from '../generate/rows.ts';
import type { Database } from '../storage/database.ts';
import { issueSignInToken, signInLinkTtlMs } from '../storage/members/sign-in-links.ts';
import { readSnowflake, readText, type ServiceValues } from './options.ts';

export async function addListing(database: Database, values: ServiceValues, { print }: Terminal): Promise<number> {
  const { kind, description = '' } = values;
  if (kind !== 'server' && kind !== 'bot') throw new UsageError('--kind must be server or bot.');
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
}

export async function signIn(database: Database, values: ServiceValues, { print }: Terminal): Promise<number> {
  const member = { userId: readSnowflake(values.user, '--user'), username: readText(values.name, '--name') };
  const token = await issueSignInToken(database, member, systemClock.now());
  const baseUrl = (values['public-url'] ?? 'http://127.0.0.1:4000').replace(/(?<!\/)\/+$/, '');
  const url = `${baseUrl}/sign-in/${token}`;
  if (values.json) print(JSON.stringify({ ...member, url, validSeconds: signInLinkTtlMs / second }));
  else {
    print(`Sign-in link for ${member.username}, valid once, for ${formatDuration(signInLinkTtlMs)}:`);
    print(`  ${url}`);
  }
  return exitCode.ok;
}

const maxRows = 100;

/** `listing-service moderation`: what waits for an operator. */
export async function moderation(database: Database, values: ServiceValues, { print }: Terminal): Promise<number> {
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
}

function subject({ kind, listingId, reviewUserId }: ReportTarget): string {
  return kind === 'listing' ? `listing ${listingId}` : `the review of ${reviewUserId} for ${listingId}`;
}

/** `listing-service generate`: prints a JSON line per listing, and the progress as errors. */
export async function generateCommand(
  database: Database,
  values: { readonly [Name in keyof Population]: string },
  terminal: Terminal,
): Promise<number> {
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
    onContinue: (rows) => printError(`Continuing the run that was stopped after ${rows.toLocaleString('en-US')} rows.`),
    onProgress: (stored, total) => progress.advanceTo(stored, stored / Math.max(1, total)),
  }).finally(progress.end);
  const seconds = (systemClock.monotonic() - startedAt) / 1_000;
  const rate = Math.round(rows / seconds).toLocaleString('en-US');
  printError(`${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${rate} per second.`);
  if (!stop.aborted) return exitCode.ok;
  printError('Stopped: what was stored so far is complete in itself. The same command continues.');
  return exitCode.runtimeError;
}

function readCount(value: string, option: string): number {
  const count = Number(value);
  if (/^\d{1,10}$/.test(value)) return count;
  throw new UsageError(`${option} must be an integer.`);
}
