import * as communityIds from './communities.ts';
import {
  budgetStore,
  circuits,
  commandRegistry,
  invalidRequests,
  leases,
  memberLocales,
  probes,
  sessions,
} from './coordination.ts';
import * as counters from './counters.ts';
import * as guildData from './guild-data.ts';
import * as installation from './installation.ts';
import * as outbox from './outbox/store.ts';
import * as records from './records/store.ts';
import * as rekey from './settings/sealed.ts';
import * as settings from './settings/store.ts';
import type { SqlModules } from './sql-module.ts';

/** The statements of the core; those of features are beside their features. */
export const coreModules = {
  probes,
  outbox,
  records,
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
