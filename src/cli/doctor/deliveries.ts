import type { ListingConfig } from '../../../config/schema.ts';
import { type Backlog, backlogOf, lastBodies, lastDeliveries } from '../../core/store/snapshots/statistics.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { day, formatAgo, formatCount, formatDuration, minute, pluralize } from '../../platform/durations.ts';
import { parseJson } from '../../platform/json.ts';
import { isObject, readField } from '../../webhook/fields.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';
import { ledgerCheck, type TitleOf, titlesOf } from './installation.ts';

export const deliveriesCheck = ledgerCheck('deliveries', async (snapshot, { config, profiles, clock }) => [
  ...evaluateDeliveries(config.listings, await lastDeliveries(snapshot), titlesOf(await profiles()), clock.now()),
  ...evaluateVersions(await lastBodies(snapshot, namesOnTopgg(config.listings))),
]);

export const outboxCheck = ledgerCheck('outbox', async (snapshot, { clock }) =>
  evaluateBacklog(await backlogOf(snapshot), clock.now()),
);

/** Without a delivery for this long, the webhook may be misconfigured (ms). */
const maxSilenceMs = 7 * day;

/**
 * @param lastDeliveries time of the last delivery by listing name (ms since the epoch)
 * @param now ms since the epoch
 */
function evaluateDeliveries(
  listings: readonly ListingConfig[],
  lastDeliveries: ReadonlyMap<string, number>,
  titleOf: TitleOf,
  now: number,
): Finding[] {
  const hintOf = ({ name, site }: ListingConfig) =>
    site === undefined
      ? 'Press "Test Webhook" in the dashboard of the service, and check the URL there.'
      : `Check at ${findSite(site).name} that the webhook has the address /webhooks/${name}, and send a test.`;
  // The variables always describe a server and a bot. One without a key and without deliveries is not in use.
  const activeListings = listings.filter(
    ({ name, lookupKey, site }) => lookupKey !== null || site !== undefined || lastDeliveries.has(name),
  );
  return activeListings.map((listing) => {
    const { name } = listing;
    const at = lastDeliveries.get(name);
    if (at === undefined) return warn(`No delivery for ${titleOf(name)} has been received yet.`, hintOf(listing));
    const message = `The last delivery for ${titleOf(name)} was received ${formatAgo(at, now)} (${new Date(at).toISOString()})`;
    return now - at > maxSilenceMs
      ? warn(`${message}: none in the last 7 days.`, hintOf(listing))
      : pass(`${message}.`);
  });
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

/** Effects that are pending or have failed, and deliveries in quarantine. @param now ms since the epoch */
export function evaluateBacklog(backlog: Backlog, now: number): Finding[] {
  const { buried, lastReason, quarantined } = backlog;
  const findings = [evaluatePending(backlog, now)];
  if (buried > 0) {
    const subject = formatCount(buried, 'announcement, role or message', 'announcements, roles and messages');
    const message = `${subject} failed permanently. Last reason: ${lastReason ?? 'unknown'}`;
    findings.push(warn(message, 'Credits are paid without them. See GET /owner/api/effects?state=buried.'));
  }
  if (quarantined > 0) {
    const subject = `${formatCount(quarantined, 'delivery', 'deliveries')} ${pluralize(quarantined, 'is', 'are')}`;
    const hint = 'See GET /owner/api/deliveries?outcome=quarantined. Replay them after an upgrade.';
    findings.push(warn(`${subject} in quarantine.`, hint));
  }
  return findings;
}

function evaluatePending({ waiting, waitingSince }: Backlog, now: number): Finding {
  if (waiting === 0 || waitingSince === null) return pass('No effects are pending.');
  const delayMs = now - waitingSince;
  const verb = pluralize(waiting, 'is', 'are');
  const message = `${formatCount(waiting, 'effect')} ${verb} pending, the oldest for ${formatDuration(delayMs)}.`;
  if (delayMs <= maxNormalDelayMs) return pass(message);
  const hint =
    'Check that tallyhook runs and can reach Discord. For reasons, see GET /owner/api/effects?state=waiting.';
  return delayMs > maxOutageDelayMs ? fail(message, hint) : warn(message, hint);
}
