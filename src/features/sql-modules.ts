import type { SqlModules } from '../core/store/sql-module.ts';
import * as handlerSubscriptions from './handlers/store.ts';
import * as linkedMembers from './linked-roles/store.ts';
import * as partyPanels from './party/panel-store.ts';
import * as reminders from './reminders/store.ts';

/** The statements of the features. The write worker loads them, so their imports contain neither discord.js nor Express. */
export const sqlModules = { handlerSubscriptions, linkedMembers, partyPanels, reminders } as const satisfies SqlModules;
