import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { day, formatCount, formatDuration, minute, pluralize } from '@tallyhook/platform/durations';
import { localUrl } from '@tallyhook/platform/host-address';
import { parseJson } from '@tallyhook/platform/json';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import { type Backlog, backlogOf, lastBodies } from '../../core/store/snapshots/statistics.ts';
import { isObject, readField } from '../../webhook/fields.ts';
import { ledgerCheck } from './installation.ts';

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

/** Normal delay of an effect (ms). */
const maxNormalDelayMs = 15 * minute;
/** Longest delay that an outage of Discord explains (ms). */
const maxOutageDelayMs = day;

/**
 * Effects that are pending or have failed, and deliveries in quarantine.
 * @param now ms since the epoch
 * @param consoleUrl null if the owner console is off
 */
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
