import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import { noCommunity } from '../../core/ledger/account.ts';
import { ownerReport } from '../../core/outbox/effect-kind.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import { listingsOf, type Replay } from '../../core/receiving/replay.ts';
import { isOnSite, readStoredSiteDelivery } from '../../core/receiving/routing.ts';
import { type EventKey, voteKeys } from '../../core/tally/idempotency-key.ts';
import type { QuarantinedDelivery } from '../../core/tally/write-event.ts';
import { findSite } from '../../webhook/sites/index.ts';
import type { CommunityListing, Directory } from '../communities/feature.ts';
import { type Alarm, type RateAlarmStore, rateAlarmReport } from './store.ts';

/** How soon a decision is carried out that was made in another process, and an alarm is reported (ms). */
const pauseMs = 5 * second;
/** Deliveries per statement, and per transaction of a rejection. */
const pageSize = 100;

interface DecisionOptions {
  readonly store: { readonly rateAlarms: RateAlarmStore; readonly outbox: Pick<Outbox, 'enqueueReport'> };
  readonly directory: Pick<Directory, 'find' | 'communityOf'>;
  readonly replay: Replay;
  readonly clock: Clock;
  readonly log: Log;
}

export function createAlarmDecisions(options: DecisionOptions): Loop {
  const { clock, log } = options;
  return createLoop({
    round: createDecisionRound(options),
    pauseMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'held votes could not be processed; retrying'),
    clock,
  });
}

/**
 * Reports listings whose votes are held, and carries out what the owner has decided. All of it is in the database, and each
 * transaction takes deliveries out of the quarantine, so it continues after a crash, and several processes do nothing twice.
 */
export function createDecisionRound(options: DecisionOptions): (signal: AbortSignal) => Promise<void> {
  const { store, directory, replay, clock, log } = options;
  const { rateAlarms, outbox } = store;
  const logged = new Set<string>();

  async function report({ listing: name, heldAt, paid: votes, usual }: Alarm): Promise<void> {
    const key = `rate alarm ${name} ${heldAt}`;
    if (logged.has(key)) return;
    const site = siteOf(directory.find(name));
    const { id: communityId = noCommunity, ownerChannelId: channelId = null } = directory.communityOf(name) ?? {};
    if (channelId !== null) {
      const report = { listing: name, site, votes, usual: Math.round(usual) };
      await outbox.enqueueReport(key, ownerReport(communityId, channelId, rateAlarmReport, report, clock.now()));
    }
    logged.add(key);
    const hint = 'Release or reject them in the owner console, or with `tallyhook rewards alarms`.';
    log.warn({ listing: name, paid: votes, usual, hint }, 'many more votes than usual: further ones are held unpaid');
  }

  async function reject(deliveries: readonly QuarantinedDelivery[], listing: CommunityListing | undefined) {
    const configured = listing === undefined ? [] : [listing];
    const keys = deliveries.flatMap((delivery) => keysOf(delivery, listingsOf(delivery, configured)[0]));
    const ids = deliveries.map(({ id }) => id);
    await rateAlarms.reject(ids, keys);
  }

  /** In the order in which the votes were received. */
  async function carryOut(alarm: Alarm, signal: AbortSignal): Promise<void> {
    const { listing, state } = alarm;
    for (let count = 0; ; ) {
      const page = await rateAlarms.deliveries(alarm, pageSize);
      if (page.length === 0) {
        await rateAlarms.finish(listing, clock.now());
        return log.info({ listing, deliveries: count, state }, 'held votes: the decision was carried out');
      }
      if (state === 'rejecting') await reject(page, directory.find(listing));
      else for (const delivery of page) if (!signal.aborted) await replay(delivery);
      count += page.length;
      if (signal.aborted) return;
    }
  }

  return async (signal) => {
    for (const alarm of await rateAlarms.alarms()) {
      if (signal.aborted) return;
      await (alarm.state === 'held' ? report(alarm) : carryOut(alarm, signal));
    }
  };
}

function siteOf(listing: CommunityListing | undefined): string {
  return listing?.site === undefined ? '' : findSite(listing.site).name;
}

/** The keys of the vote of a delivery; none without time and id. */
function keysOf({ body, receivedAt }: QuarantinedDelivery, listing: CommunityListing | undefined): readonly EventKey[] {
  if (!isOnSite(listing)) return [];
  const payload = readStoredSiteDelivery(body, listing, receivedAt);
  const vote = payload.type === 'event' && payload.event.family === 'vote' ? payload.event : null;
  return vote === null ? [] : voteKeys(vote, listing, receivedAt);
}
