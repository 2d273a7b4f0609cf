import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { first } from './001-first.ts';
import { unsureEffects } from './002-unsure-effects.ts';
import { owner } from './003-owner.ts';
import { passbooks } from './004-passbooks.ts';
import { registeredCommands } from './005-registered-commands.ts';
import { revokedSessions } from './006-revoked-sessions.ts';
import { effectsByChannel } from './007-effects-by-channel.ts';
import { eventKeys } from './008-event-keys.ts';
import { effectQueues } from './009-effect-queues.ts';
import { rewards } from './010-rewards.ts';
import { reminders } from './012-reminders.ts';
import { shop } from './013-shop.ts';
import { forgotten } from './014-forgotten.ts';
import { partyPanels } from './015-party-panels.ts';
import { announcements } from './016-announcements.ts';
import { memberLanguages } from './017-member-languages.ts';
import { accounts } from './018-accounts.ts';
import { settings } from './019-settings.ts';
import { leases } from './020-leases.ts';
import { linkedMembers } from './021-linked-members.ts';
import { growth } from './022-growth.ts';
import { handlers } from './023-handlers.ts';
import { effectTraces } from './024-effect-traces.ts';
import { imports } from './025-imports.ts';
import { guildIndexes } from './026-guild-indexes.ts';
import { repeatedDeliveries } from './027-repeated-deliveries.ts';
import { orderTimes } from './028-order-times.ts';
import { openCircuits } from './029-open-circuits.ts';
import { commandDefinitions } from './031-command-definitions.ts';
import { nextVotes } from './032-next-votes.ts';
import { confirmations } from './033-confirmations.ts';
import { rateAlarms } from './034-rate-alarms.ts';
import { correctionAuthors } from './035-correction-authors.ts';
import { votePanels } from './036-vote-panels.ts';
import { deliveryOrigins } from './037-delivery-origins.ts';
import { guildKeys } from './038-guild-keys.ts';
import { interactionsOfGuilds } from './039-interactions-of-guilds.ts';
import { rejectedVotes } from './040-rejected-votes.ts';
import { listingBeginnings } from './041-listing-beginnings.ts';
import { waitingVotes } from './042-waiting-votes.ts';
import { topggConnections } from './046-topgg-connections.ts';

const all: Readonly<Record<string, (dialect: Dialect) => Migration>> = {
  '001-first': first,
  '002-unsure-effects': unsureEffects,
  '003-owner': owner,
  '004-passbooks': passbooks,
  '005-registered-commands': () => registeredCommands,
  '006-revoked-sessions': revokedSessions,
  '007-effects-by-channel': () => effectsByChannel,
  '008-event-keys': eventKeys,
  '009-effect-queues': effectQueues,
  '010-rewards': rewards,
  '012-reminders': reminders,
  '013-shop': shop,
  '014-forgotten': forgotten,
  '015-party-panels': partyPanels,
  '016-announcements': announcements,
  '017-member-languages': memberLanguages,
  '018-accounts': accounts,
  '019-settings': settings,
  '020-leases': leases,
  '021-linked-members': linkedMembers,
  '022-growth': growth,
  '023-handlers': handlers,
  '024-effect-traces': effectTraces,
  '025-imports': imports,
  '026-guild-indexes': guildIndexes,
  '027-repeated-deliveries': repeatedDeliveries,
  '028-order-times': orderTimes,
  '029-open-circuits': openCircuits,
  '031-command-definitions': commandDefinitions,
  '032-next-votes': nextVotes,
  '033-confirmations': confirmations,
  '034-rate-alarms': rateAlarms,
  '035-correction-authors': correctionAuthors,
  '036-vote-panels': votePanels,
  '037-delivery-origins': deliveryOrigins,
  '038-guild-keys': guildKeys,
  '039-interactions-of-guilds': () => interactionsOfGuilds,
  '040-rejected-votes': rejectedVotes,
  '041-listing-beginnings': listingBeginnings,
  '042-waiting-votes': waitingVotes,
  '046-topgg-connections': topggConnections,
};

/** The names of all migrations, oldest first. */
export const migrationNames: readonly string[] = Object.keys(all);

/** Every migration, oldest first. There are no down migrations, and a released migration is never changed. */
export function migrations(dialect: Dialect): Record<string, Migration> {
  return Object.fromEntries(Object.entries(all).map(([name, migration]) => [name, migration(dialect)]));
}
