import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { checkIntegrity, type DatabaseNames, evaluateStatus } from '@tallyhook/platform/doctor/database';
import { day, formatAgo, formatCount, formatDuration, minute, pluralize } from '@tallyhook/platform/durations';
import { createEncryption, KeyMissingError, type KeySources } from '@tallyhook/platform/encryption/encryption';
import { readKeyFile } from '@tallyhook/platform/encryption/key-file';
import { messageOf } from '@tallyhook/platform/errors';
import { localUrl } from '@tallyhook/platform/host-address';
import { parseJson } from '@tallyhook/platform/json';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import {
  type BalanceDifference,
  balanceDifferences,
  brokenLinks,
  type Differences,
  type OrphanedRows,
  orphanedRows,
  type PaymentDifference,
  paymentDifferences,
} from '../../core/store/snapshots/audit.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import {
  type Backlog,
  backlogOf,
  foreignRecordings,
  lastBodies,
  longOutages,
  parkedRoles,
  repeatedAchievements,
} from '../../core/store/snapshots/statistics.ts';
import { webhookEndpoints } from '../../features/events/event.ts';
import { hostOf } from '../../features/events/settings.ts';
import { isObject, readField } from '../../webhook/fields.ts';
import { type Installation, type InstallationCheck, ledgerCheck } from './installation.ts';

const names: DatabaseNames = {
  setting: 'DATABASE_URL',
  backup: 'tallyhook backup FILE',
  restore: 'tallyhook restore FILE',
  program: 'tallyhook',
};

/** Checks that the database can be used: its version, a write, and its file. */
export const databaseCheck: InstallationCheck = {
  name: 'database',
  async run({ config, status, store, snapshot }) {
    const path = sqlitePathOf(config.databaseUrl);
    return [
      evaluateStatus(status, names),
      ...(status.state === 'current' ? [await checkWritable(store)] : []),
      ...(snapshot === null || path === null ? [] : [await checkIntegrity(snapshot, path, names)]),
    ];
  },
};

async function checkWritable(store: Installation['store']): Promise<Finding> {
  const hint =
    'Check the free disk space, the write permissions of the file and its directory, and whether another program holds a lock.';
  if (store === null) return fail('The database cannot be opened for writing.', hint);
  try {
    await store.probe();
    return pass('The database is writable.');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
    return fail(`The database is not writable${cause}.`, hint);
  }
}

/** Checks that the secrets that were entered in Discord can be decrypted. */
export const settingsKeyCheck: InstallationCheck = {
  name: 'settings',
  async run({ config, effective, store, snapshot }) {
    if (store === null || snapshot === null) return [];
    const { keyId } = await store.settings.state();
    if (keyId === null) return evaluateUnusedKeyFile(config.encryption);
    try {
      createEncryption(config.encryption).keyFor(keyId);
      const damaged = effective.unreadable.filter(({ isKeyMissing }) => !isKeyMissing);
      if (damaged.length > 0) return damaged.slice(0, maxDamaged).map(evaluateDamaged);
      return [pass('The key of the secrets that were entered in Discord is available.')];
    } catch (error) {
      if (!(error instanceof KeyMissingError)) throw error;
      const message =
        'The key of the secrets that were entered in Discord is missing: listings linked there receive nothing.';
      return [fail(message, error.hint ?? '')];
    }
  },
};

const maxDamaged = 10;

function evaluateDamaged({ guildId, listing, path, hint }: Installation['effective']['unreadable'][number]): Finding {
  const owner = listing === '' ? `the server ${guildId}` : `${listing} in the server ${guildId}`;
  return fail(`The stored ${path} of ${owner} cannot be decrypted: its text is damaged.`, hint);
}

function evaluateUnusedKeyFile({ keyFile }: KeySources): Finding[] {
  const file = keyFile === null ? null : readKeyFile(keyFile);
  if (file?.state !== 'unusable') return [];
  const { problem, hint } = file.issue;
  return [warn(`${problem} No listing can be linked in Discord.`, hint)];
}

export const ledgerSumsCheck = ledgerCheck('ledger', async (snapshot) => [
  evaluateBalances(await balanceDifferences(snapshot)),
  evaluatePayments(await paymentDifferences(snapshot)),
  ...evaluateStrays(await orphanedRows(snapshot)),
  ...evaluateLinks(await brokenLinks(snapshot)),
]);

const editedRowsHint = 'Rows were changed or deleted outside of tallyhook. Restore a backup, or report a bug.';
const differenceHint =
  'Make a backup, then look at the entries of these users in the owner console before you correct anything.';

function evaluateBalances({ count, first }: Differences<BalanceDifference>): Finding {
  if (count === 0) return pass('Every balance is the sum of its entries.');
  const users = first.map(
    ({ accountId, balance, entries }) =>
      `${describeAccount(accountId)} has ${formatTotals(balance)}, but the entries add up to ${formatTotals(entries)}`,
  );
  const verb = pluralize(count, 'differs', 'differ');
  const message = `${formatCount(count, 'balance')} ${verb} from the sum of the entries: ${joinFirst(users, count)}.`;
  return fail(message, differenceHint);
}

function evaluatePayments({ count, first }: Differences<PaymentDifference>): Finding {
  if (count === 0) return pass('Every rewarded delivery has its entry.');
  const deliveries = first.map(
    ({ deliveryId, paid, entered }) =>
      `delivery ${deliveryId} paid ${formatCount(paid, 'credit')}, but its entries add up to ${entered}`,
  );
  const subject = `${formatCount(count, 'delivery', 'deliveries')} ${pluralize(count, 'differs', 'differ')}`;
  return fail(`${subject} from the entries: ${joinFirst(deliveries, count)}.`, differenceHint);
}

/** @param broken links between the entries of a user that skip an entry */
function evaluateLinks(broken: number): Finding[] {
  if (broken === 0) return [];
  const links = `${formatCount(broken, 'link')} between entries ${pluralize(broken, 'skips', 'skip')} an entry`;
  return [fail(`${links}, so histories are incomplete.`, editedRowsHint)];
}

function evaluateStrays({ entries, effects, names }: OrphanedRows): Finding[] {
  if (entries + effects + names === 0) return [];
  const rows = `${formatCount(entries, 'entry', 'entries')}, ${formatCount(effects, 'effect')}, ${formatCount(names, 'order name')}`;
  return [fail(`Rows refer to missing rows: ${rows}.`, editedRowsHint)];
}

function formatTotals({ credits, votes }: BalanceDifference['balance']): string {
  return `${formatCount(credits, 'credit')} and ${formatCount(votes, 'vote')}`;
}

function joinFirst(items: readonly string[], count: number): string {
  const omitted = count - items.length;
  return items.join('; ') + (omitted > 0 ? `; and ${omitted} more` : '');
}

export const rewardsCheck = ledgerCheck('rewards', (snapshot, { status, clock }) =>
  status.state === 'current' ? checkRewards(snapshot, clock.now()) : [],
);

/** Checks that no achievement was paid twice, and reports roles that cannot be given and outages. @param now ms since the epoch */
export async function checkRewards(snapshot: Snapshot, now: number): Promise<Finding[]> {
  return [
    evaluateAchievements(await repeatedAchievements(snapshot)),
    ...evaluateParked(await parkedRoles(snapshot)),
    ...evaluateOutages(await longOutages(snapshot, now), now),
  ];
}

function evaluateAchievements({ count, first }: Awaited<ReturnType<typeof repeatedAchievements>>): Finding {
  if (count === 0) return pass('No achievement was paid twice.');
  const named = first.map(
    ({ accountId, achievement, entries }) => `${describeAccount(accountId)} "${achievement}" ${entries} times`,
  );
  const subject = `${formatCount(count, 'achievement')} ${pluralize(count, 'was', 'were')}`;
  const message = `${subject} paid more than once: ${named.join('; ')}.`;
  return fail(message, 'Report a bug. Correct the accounts in the owner console.');
}

function evaluateParked(parked: ReadonlyMap<string, number>): Finding[] {
  if (parked.size === 0) return [];
  const total = [...parked.values()].reduce((sum, count) => sum + count, 0);
  const roles = [...parked].map(([role, count]) => `${role} (${formatCount(count, 'member')})`).slice(0, 5);
  const subject = `${formatCount(total, 'role')} of members ${pluralize(total, 'is', 'are')}`;
  const message = `${subject} not as they should be, because Discord rejected the change: ${roles.join(', ')}.`;
  const need = 'The bot needs Manage Roles, and its own role above these.';
  return [warn(message, `${need} Each is tried again with the member's next vote.`)];
}

/** Days of an outage do not break streaks. */
function evaluateOutages({ count, last }: Awaited<ReturnType<typeof longOutages>>, now: number): Finding[] {
  if (count === 0 || last === null) return [];
  const times = `${formatCount(count, 'time')} in the last 30 days, the last until ${formatAgo(last, now)}`;
  const message = `Receiving was down for six hours or more ${times}.`;
  return [warn(message, 'Streaks of members do not break on these days.')];
}

function describeAccount(accountId: AccountId): string {
  const { communityId, userId } = partsOf(accountId);
  return `user ${userId} of community ${communityId}`;
}

export const deliveriesCheck = ledgerCheck('deliveries', async (snapshot, { listings }) =>
  evaluateVersions(await lastBodies(snapshot, namesOnTopgg(listings))),
);

export const outboxCheck = ledgerCheck('outbox', async (snapshot, { config, clock }) =>
  evaluateBacklog(await backlogOf(snapshot), clock.now(), consoleOf(config)),
);

/** The address of the owner console; null if it is off. */
function consoleOf({ ownerToken, publicUrl, http }: Pick<Config, 'ownerToken' | 'publicUrl' | 'http'>): string | null {
  if (ownerToken === null) return null;
  return `${publicUrl ?? localUrl(http.host, http.port)}/owner`;
}

const namesOnTopgg = (listings: readonly ListingConfig[]) =>
  listings.filter(({ site }) => site?.id === 'topgg').map(({ name }) => name);

/** @param bodies of the last deliveries of top.gg, by listing name */
function evaluateVersions(bodies: ReadonlyMap<string, string>): Finding[] {
  const hint = 'Create a new webhook at top.gg, add its secret (whs_…) to voteSecrets, and delete the old one.';
  const lack = 'it has a token instead of a signature, and no time.';
  const old = [...bodies].filter(([, body]) => isVersion0(parseJson(body)));
  return old.map(([name]) => warn(`The last delivery for ${name} is of version 0 of top.gg's webhooks: ${lack}`, hint));
}

function isVersion0(json: unknown): boolean {
  return isObject(json) && readField(json, 'user') !== undefined && readField(json, 'data') === undefined;
}

const maxNormalDelayMs = 15 * minute;
/** Longest delay that an outage of Discord explains (ms). */
const maxOutageDelayMs = day;

/** Effects that are pending or have failed, and deliveries in quarantine. @param consoleUrl null if it is off */
export function evaluateBacklog(backlog: Backlog, now: number, consoleUrl: string | null): Finding[] {
  const { buried, lastReason, quarantined } = backlog;
  const see = (page: string) => (consoleUrl === null ? withoutConsole : `See ${consoleUrl}/${page}.`);
  const findings = [evaluatePending(backlog, now, see('effects?state=waiting'))];
  if (buried > 0) {
    const subject = formatCount(buried, 'announcement, role or message', 'announcements, roles and messages');
    const message = `${subject} failed permanently. Last reason: ${lastReason ?? 'unknown'}`;
    findings.push(warn(message, `Credits are paid without them. ${see('effects?state=buried')}`));
  }
  if (quarantined > 0) {
    const subject = `${formatCount(quarantined, 'delivery', 'deliveries')} ${pluralize(quarantined, 'is', 'are')}`;
    const hint = `${see('deliveries?outcome=quarantined')} Each says why, and has a button to process it again.`;
    findings.push(warn(`${subject} in quarantine.`, hint));
  }
  return findings;
}

const withoutConsole = 'Set OWNER_TOKEN, start tallyhook, and see Deliveries in the owner console.';

function evaluatePending({ waiting, waitingSince }: Backlog, now: number, reasons: string): Finding {
  if (waiting === 0 || waitingSince === null) return pass('No effects are pending.');
  const delayMs = now - waitingSince;
  const verb = pluralize(waiting, 'is', 'are');
  const message = `${formatCount(waiting, 'effect')} ${verb} pending, the oldest for ${formatDuration(delayMs)}.`;
  if (delayMs <= maxNormalDelayMs) return pass(message);
  const hint = `Check that tallyhook runs and can reach Discord. ${reasons}`;
  return delayMs > maxOutageDelayMs ? fail(message, hint) : warn(message, hint);
}

const seeWebhooks = 'Repair it: it is tried again by itself. `tallyhook webhooks` lists all.';

/** Names the endpoints that fail or are paused. */
export const webhooksCheck: InstallationCheck = {
  name: 'webhooks',
  async run({ effective, store, clock }) {
    const endpoints = effective.listings.flatMap((listing) => webhookEndpoints.in(listing));
    const hosts = new Map(endpoints.map(({ id, url }) => [id, hostOf(url)]));
    if (store === null || hosts.size === 0) return [];
    const failing = (await store.events.failingEndpoints(null)).filter(({ endpoint }) => hosts.has(endpoint));
    if (failing.length === 0) return [pass('No address that hears of events fails.')];
    return failing.map(({ endpoint, failingSince, pausedAt, reason }) => {
      const address = `The address on ${hosts.get(endpoint)} that hears of events`;
      const command = `\`tallyhook webhooks resume --endpoint ${endpoint}\``;
      return pausedAt === null
        ? warn(`${address} has failed for ${formatDuration(clock.now() - failingSince)}: ${reason}`, seeWebhooks)
        : warn(`${address} is paused: ${reason}`, `When it is repaired, run ${command}.`);
    });
  },
};

/** Checks that deliveries were recorded for the communities whose secrets have signed them. */
export const originsCheck = ledgerCheck('origins', async (snapshot, { status }) =>
  status.state === 'current' ? [evaluateOrigins(await foreignRecordings(snapshot))] : [],
);

const maxShown = 10;

function evaluateOrigins(ids: readonly number[]): Finding {
  if (ids.length === 0) return pass('Every delivery was recorded for the server whose secret signed it.');
  const omitted = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : '';
  const subject = `${formatCount(ids.length, 'delivery', 'deliveries')} ${pluralize(ids.length, 'was', 'were')}`;
  const message = `${subject} recorded for another server than the one whose secret signed it: ${ids.slice(0, maxShown).join(', ')}${omitted}.`;
  return fail(message, hint);
}

const hint =
  'Compare each, as in /owner/deliveries/ID, with the votes that the listing site shows, take back with a correction what ' +
  'it should not have paid, and report a bug.';
