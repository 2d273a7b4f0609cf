import * as communityIds from './communities.ts';
import * as circuits from './coordination/circuits.ts';
import * as commandRegistry from './coordination/command-registry.ts';
import * as invalidRequests from './coordination/invalid-requests.ts';
import * as leases from './coordination/leases.ts';
import * as budgetStore from './coordination/lookup-requests.ts';
import * as sessions from './coordination/session-revocations.ts';
import * as counters from './counters.ts';
import * as guildData from './guild-data.ts';
import * as installation from './installation.ts';
import * as memberLocales from './member-locales.ts';
import * as outbox from './outbox/store.ts';
import * as probes from './probes.ts';
import * as quarantine from './records/quarantine.ts';
import * as records from './records/store.ts';
import * as rekey from './settings/sealed.ts';
import * as settings from './settings/store.ts';
import type { SqlModules } from './sql-module.ts';

/** The statements of the core; those of features are beside their features. */
export const coreModules = {
  probes,
  outbox,
  records,
  quarantine,
  counters,
  communityIds,
  installation,
  guildData,
  memberLocales,
  settings,
  rekey,
  leases,
  circuits,
  invalidRequests,
  budgetStore,
  commandRegistry,
  sessions,
} satisfies SqlModules;

export type CoreModules = typeof coreModules;
