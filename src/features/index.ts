import type { Feature } from '../core/feature.ts';
import { coreFormats, type EffectFormats } from '../core/outbox/effect-kind.ts';
import { coreTables } from '../core/store/member-data/core-tables.ts';
import type { MemberTables } from '../core/store/member-data/member-table.ts';
import { type CoreModules, coreModules } from '../core/store/modules.ts';
import type { SqlModule, StoredFeatures } from '../core/store/sql-module.ts';
import { communities } from './communities/feature.ts';
import { confirmations } from './confirmations/feature.ts';
import { corrections } from './corrections/feature.ts';
import { digests } from './digests/feature.ts';
import { handlers } from './handlers/feature.ts';
import { imports } from './imports/feature.ts';
import { linkedRoles } from './linked-roles/feature.ts';
import { lostStreaks } from './lost-streaks/feature.ts';
import { lostVotes } from './lost-votes/feature.ts';
import { memberData } from './member-data/feature.ts';
import { nextVotes } from './next-votes/feature.ts';
import { party } from './party/feature.ts';
import { rateAlarms } from './rate-alarms/feature.ts';
import { reminders } from './reminders/feature.ts';
import { reviews } from './reviews/feature.ts';
import { roles } from './roles/feature.ts';
import { shop } from './shop/feature.ts';
import { simulation } from './simulation/feature.ts';
import { topggConnect } from './topgg-connect/feature.ts';
import { upkeep } from './upkeep/feature.ts';
import { votePanel } from './vote-panel/feature.ts';

/** What features do in transactions. When an event is recorded, they take part in this order. */
export const features = {
  reminders,
  nextVotes,
  linkedRoles,
  party,
  handlers,
  digests,
  lostStreaks,
  reviews,
  communities,
  roles,
  shop,
  imports,
  simulation,
  memberData,
  corrections,
  lostVotes,
  confirmations,
  rateAlarms,
  votePanel,
  topggConnect,
  upkeep,
} as const satisfies Readonly<Record<string, Feature>>;

export type Features = typeof features;

type WithSql = { [Name in keyof Features]: Features[Name] extends { readonly sql: SqlModule } ? Name : never };

/** The statements of the core, and of those features that have any by the names of the features. */
export type Modules = CoreModules & {
  readonly [Name in WithSql[keyof Features]]: Extract<Features[Name], { readonly sql: SqlModule }>['sql'];
};

type Part = 'tables' | 'effects' | 'directMessages' | 'ownerReports';
type PartOf<Name extends Part> = Extract<Features[keyof Features], Readonly<Record<Name, unknown>>>[Name];
/** The intersection of a union. */
export type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** A part of all features. */
function together<Name extends Part>(name: Name): Together<PartOf<Name>> {
  return Object.assign({}, ...Object.values<Feature>(features).map((feature) => feature[name]));
}

/** The formats of all effects. One that is missing does not compile. */
const effects: EffectFormats = {
  ...coreFormats(together('directMessages'), together('ownerReports')),
  ...together('effects'),
};

/** All tables. One that is missing does not compile. */
const memberTables: MemberTables = { ...coreTables, ...together('tables') };

const sqlOfFeatures = Object.fromEntries(
  Object.entries<Feature>(features).flatMap(([name, { sql }]) => (sql === undefined ? [] : [[name, sql]])),
);

export const storedFeatures = {
  modules: { ...coreModules, ...sqlOfFeatures } as Modules,
  effects,
  memberTables,
  hooks: Object.values<Feature>(features),
} satisfies StoredFeatures;
