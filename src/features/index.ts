import type { Feature } from '../core/feature.ts';
import { coreFormats, type EffectFormats } from '../core/outbox/effect-kind.ts';
import type { SqlModule, StoredFeatures } from '../core/store/sql-module.ts';
import { communities } from './communities/feature.ts';
import { digests } from './digests/feature.ts';
import { handlers } from './handlers/feature.ts';
import { linkedRoles } from './linked-roles/feature.ts';
import { lostStreaks } from './lost-streaks/feature.ts';
import { party } from './party/feature.ts';
import { reminders } from './reminders/feature.ts';
import { reviews } from './reviews/feature.ts';
import { shop } from './shop/feature.ts';

/** All features. When an event is recorded, they take part in this order. */
const features = {
  reminders,
  linkedRoles,
  party,
  handlers,
  digests,
  lostStreaks,
  reviews,
  shop,
  communities,
} as const satisfies Readonly<Record<string, Feature>>;

type Features = typeof features;

/** The statements of those features that have any, by the names of the features. */
export type FeatureModules = {
  readonly [Name in keyof Features as Features[Name] extends { readonly sql: SqlModule }
    ? Name
    : never]: Features[Name] extends {
    readonly sql: infer Module;
  }
    ? Module
    : never;
};

type Part = 'effects' | 'directMessages' | 'ownerReports';
type PartOf<Name extends Part> = Extract<Features[keyof Features], Readonly<Record<Name, unknown>>>[Name];
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
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

const modules = Object.fromEntries(
  Object.entries<Feature>(features).flatMap(([name, { sql }]) => (sql === undefined ? [] : [[name, sql]])),
) as FeatureModules;

export const storedFeatures = { modules, effects, hooks: Object.values<Feature>(features) } satisfies StoredFeatures;
