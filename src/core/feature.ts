import type { EffectKind, MessageType } from './outbox/effect-kind.ts';
import type { MemberTables } from './store/member-data/member-table.ts';
import type { SqlHooks, SqlModule } from './store/sql-module.ts';
import type { Hooks } from './tally/tally.ts';

/**
 * The part of a feature in transactions, everything optional. The writer thread and receivers load it, so its imports
 * contain neither discord.js nor Express. `Own` are the tables that it adds.
 */
export interface Feature<Own = unknown> extends Hooks, SqlHooks {
  /** The statements of the feature; `store.NAME` has them all. */
  readonly sql?: SqlModule;
  /** The data about members in its tables. */
  readonly tables?: Partial<MemberTables> & MemberTables<Own>;
  /** The kinds of its effects. */
  readonly effects?: readonly EffectKind[];
  /** The types of its direct messages. */
  readonly directMessages?: readonly MessageType[];
  /** The types of its reports to the owner. */
  readonly ownerReports?: readonly MessageType[];
}
