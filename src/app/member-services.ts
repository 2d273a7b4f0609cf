import type { Config } from '../../config/schema.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { homeAccounts } from '../ledger/account-id.ts';
import type { Standings } from '../ledger/standing.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import type { ListingContext } from '../tally/tally.ts';
import { eventKeysOf } from '../webhook/replay.ts';
import { createAwards } from './awards.ts';
import type { BotDependencies } from './bot.ts';
import { createClaims } from './claims.ts';
import { listedRules, timeZoneOf } from './listings.ts';
import type { LookupClients } from './lookup-clients.ts';
import { createMemberDataAccess } from './member-data.ts';
import { createReminderLoop, type ReminderLoop } from './reminder-loop.ts';
import { createReminderService } from './reminders.ts';
import { createShop } from './shop.ts';
import { createTraces } from './traces.ts';
import { createVoteCheck, listingsToCheck } from './vote-check.ts';
import { createVotePictures } from './vote-pictures.ts';

/** What members and managers use through commands. */
export interface MemberServices extends Pick<BotDependencies, 'context' | 'reminders'> {
  readonly standings: Standings;
  /** Sends the reminders; to be started only if they are switched on. */
  readonly reminderLoop: ReminderLoop;
  /** Uses the items of these listings from now on. */
  replaceShops(listings: Config['listings']): void;
}

export function createMemberServices(
  config: Config,
  options: {
    readonly store: Store;
    readonly lookups: LookupClients;
    readonly listings: readonly ListingContext[];
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly log: Log;
    /** Polls these queues of the outbox, in every process. */
    readonly nudge: (queues: readonly string[]) => void;
  },
): MemberServices {
  const { store, lookups, listings, metrics, clock, log, nudge } = options;
  const standings = store.standingsIn(homeAccounts, timeZoneOf(config.listings));
  const remindedListings = listingsToCheck(config.listings, lookups.listings);
  const reminders = createReminderService({
    ...{ store: store.reminders, listings: remindedListings, isEnabled: config.reminders, clock, log },
  });
  const shop = createShop({
    ...{ listings: config.listings, purchases: store.purchases, clock, log, nudge },
    onPurchase: (result) => metrics.purchases.inc({ result }),
  });
  return {
    standings,
    reminders,
    reminderLoop: createReminderLoop({
      ...{ reminders: store.reminders, listings: remindedListings, clock, log, onPoll: reminders.refreshNotices },
      createCheck: () => createVoteCheck({ ...lookups, lastVoteAt: store.ledger.lastVoteAt, clock }),
      onChecked: (outcome) => metrics.reminders.inc({ outcome }),
      onEnqueued: (queue) => nudge([queue]),
    }),
    replaceShops: shop.replace,
    context: {
      ...{ listings: lookups.listings, clock, standings, shop },
      rules: listedRules(config.listings),
      awards: createAwards({ actions: store.ownerActions, accounts: homeAccounts, clock, log }),
      claims: createClaims({
        ...{ listings, lookups: lookups.listings, ledger: store.ledger, recorder: store.claims, clock, log },
      }),
      memberData: createMemberDataAccess({ listings, memberData: store.memberData, clock, log }),
      traces: createTraces({ records: store.records, eventKeysOf }),
      drawVotePicture: createVotePictures({ ...config, votesPerDayIn: store.votesPerDayIn, log }),
    },
  };
}
