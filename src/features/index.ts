import type { Feature } from '../core/feature.ts';
import { formatsOf } from '../core/outbox/effect-kind.ts';
import type { MemberTables } from '../core/store/member-data/member-table.ts';
import { type CoreModules, coreModules, coreTables } from '../core/store/modules.ts';
import type { SqlModule, StoredFeatures } from '../core/store/sql-module.ts';
import { communities } from './communities/feature.ts';
import { confirmations } from './confirmations/feature.ts';
import { corrections } from './corrections/feature.ts';
import { digests } from './digests/feature.ts';
import { events } from './events/feature.ts';
import { gifts } from './gifts/feature.ts';
import { guards } from './guards/feature.ts';
import { handlers } from './handlers/feature.ts';
import { imports } from './imports/feature.ts';
import { linkedRoles } from './linked-roles/feature.ts';
import { lostStreaks } from './lost-streaks/feature.ts';
import { lostVotes } from './lost-votes/feature.ts';
import { memberData } from './member-data/feature.ts';
import { nextVotes } from './next-votes/feature.ts';
import { party } from './party/feature.ts';
import { prizes } from './prizes/feature.ts';
import { publicPages } from './public-pages/feature.ts';
import { raffles } from './raffles/feature.ts';
import { rateAlarms } from './rate-alarms/feature.ts';
import { reminders } from './reminders/feature.ts';
import { reviews } from './reviews/feature.ts';
import { roles } from './roles/feature.ts';
import { shop } from './shop/feature.ts';
import { simulation } from './simulation/feature.ts';
import { tokens } from './tokens/feature.ts';
import { topggConnect } from './topgg-connect/feature.ts';
import { upkeep } from './upkeep/feature.ts';
import { votePanel } from './vote-panel/feature.ts';

/** The parts of features in transactions. When an event is recorded, they take part in this order. */
export const features = {
  reminders,
  nextVotes,
  linkedRoles,
  party,
  prizes,
  raffles,
  handlers,
  events,
  digests,
  lostStreaks,
  reviews,
  communities,
  roles,
  shop,
  gifts,
  imports,
  simulation,
  memberData,
  corrections,
  lostVotes,
  guards,
  confirmations,
  rateAlarms,
  votePanel,
  publicPages,
  topggConnect,
  tokens,
  upkeep,
} as const satisfies Readonly<Record<string, Feature>>;

export type Features = typeof features;

type WithSql = { [Name in keyof Features]: Features[Name] extends { readonly sql: SqlModule } ? Name : never };

export type Modules = CoreModules & {
  readonly [Name in WithSql[keyof Features]]: Extract<Features[Name], { readonly sql: SqlModule }>['sql'];
};

type Part = 'effects' | 'directMessages' | 'ownerReports';
type PartOf<Name extends PropertyKey> = Extract<Features[keyof Features], Readonly<Record<Name, unknown>>>[Name];
/** The kinds of effects, or the types of messages, of all features. */
export type Declared<Name extends Part> = Extract<PartOf<Name>, readonly unknown[]>[number];
export type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

const all = Object.values<Feature>(features);

const effects = formatsOf(
  all.flatMap((feature) => feature.effects ?? []),
  all.flatMap((feature) => feature.directMessages ?? []),
  all.flatMap((feature) => feature.ownerReports ?? []),
);

const tablesOfFeatures: Together<PartOf<'tables'>> = Object.assign({}, ...all.map(({ tables }) => tables));
/** All tables. One of the core that is missing does not compile; those of a feature are checked by {@link Feature}. */
const memberTables: MemberTables = { ...coreTables, ...tablesOfFeatures };

const sqlOfFeatures = Object.fromEntries(
  Object.entries<Feature>(features).flatMap(([name, { sql }]) => (sql === undefined ? [] : [[name, sql]])),
);

export const storedFeatures = {
  modules: { ...coreModules, ...sqlOfFeatures } as Modules,
  effects,
  memberTables,
  hooks: all,
} satisfies StoredFeatures;
