import type { Loop } from '@tallyhook/platform/loop';
import type { RequestHandler } from 'express';
import type { Config } from '../../config/schema.ts';
import type { Declared, Together } from './index.ts';
import type { CommandCoverage, FeatureParts, FeatureServices, Publication } from './parts.ts';

/** The parts of features that act in Discord and by time, in the order in which they are created. */
const loaders = [
  () => import('./reminders/parts.ts'),
  () => import('./next-votes/parts.ts'),
  () => import('./linked-roles/parts.ts'),
  () => import('./party/parts.ts'),
  () => import('./prizes/parts.ts'),
  () => import('./raffles/parts.ts'),
  () => import('./digests/parts.ts'),
  () => import('./lost-streaks/parts.ts'),
  () => import('./reviews/parts.ts'),
  () => import('./communities/parts.ts'),
  () => import('./announcements/parts.ts'),
  () => import('./roles/parts.ts'),
  () => import('./shop/parts.ts'),
  () => import('./gifts/parts.ts'),
  () => import('./member-data/parts.ts'),
  () => import('./corrections/parts.ts'),
  () => import('./guards/parts.ts'),
  () => import('./claims/parts.ts'),
  () => import('./lost-votes/parts.ts'),
  () => import('./rate-alarms/parts.ts'),
  () => import('./traces/parts.ts'),
  () => import('./vote-panel/parts.ts'),
  () => import('./topgg-connect/parts.ts'),
  () => import('./tokens/parts.ts'),
  () => import('./events/parts.ts'),
  () => import('./public-pages/parts.ts'),
  () => import('./settings/parts.ts'),
  () => import('./server-counts/parts.ts'),
] as const;

type Loaded = Awaited<ReturnType<(typeof loaders)[number]>>;
type CreateServices = Extract<Loaded, { readonly createServices: unknown }>['createServices'];
type CreateParts = Extract<Loaded, { readonly create: unknown }>['create'];
type CreatedServices = ReturnType<CreateServices>;
type CreatedParts = ReturnType<CreateParts>;

/** The intersection of the contexts of several functions. */
type ContextOf<Function> = (
  Function extends (context: infer Context) => unknown
    ? (each: Context) => void
    : never
) extends (all: infer All) => void
  ? All
  : never;
type Member<Created, Name extends PropertyKey> = Extract<Created, Readonly<Record<Name, unknown>>>[Name];

export type Shared = Together<Member<CreatedServices, 'shared'>>;
export type CompleteServicesContext = Omit<ContextOf<CreateServices>, keyof Shared>;
export type CompleteContext = ContextOf<CreateParts>;

type Everywhere = Together<Member<CreatedServices, 'commands'>>;
// In a box, because a function may return one of several types, which must stay a union.
type Boxed<Function> = Function extends (place: never) => infer Context ? { readonly context: Context } : never;
type InPlace = Together<Boxed<Member<CreatedServices, 'commandsIn'>>>['context'];

/** The services of all features in a process, by the names of {@link FeatureServices}. */
export interface Services extends Required<Pick<FeatureServices, 'loops' | 'cards'>> {
  readonly shared: Shared;
  readonly noticesFor: readonly NonNullable<FeatureServices['noticeFor']>[];
  readonly onMemberSeen: readonly NonNullable<FeatureServices['onMemberSeen']>[];
  /** The fields of the context of commands that cover these communities. */
  readonly commandsIn: (place: CommandCoverage) => Everywhere & InPlace;
  readonly routes: readonly RequestHandler[];
}

/** The modules of all features, in their order. Loads discord.js. */
export function loadFeatures(): Promise<Loaded[]> {
  return Promise.all(loaders.map((load): Promise<Loaded> => load()));
}

/** The parts of the application in Discord that features publish. */
export async function publicationsOf(config: Config): Promise<readonly Publication[]> {
  return (await loadFeatures()).flatMap((module) => ('publish' in module ? (module.publish(config) ?? []) : []));
}

export async function createServices(context: CompleteServicesContext): Promise<Services> {
  type Module = { readonly createServices: (context: object) => FeatureServices };
  const all: FeatureServices[] = [];
  const shared = {} as Shared;
  for (const module of await loadFeatures()) {
    if (!('createServices' in module)) continue;
    const services = (module as Module).createServices({ ...context, ...shared });
    Object.assign(shared, services.shared);
    all.push(services);
  }
  const everywhere = Object.assign({}, ...all.map(({ commands }) => commands));
  return {
    shared,
    commandsIn: (place) => Object.assign({}, everywhere, ...all.map(({ commandsIn }) => commandsIn?.(place))),
    noticesFor: all.flatMap(({ noticeFor }) => noticeFor ?? []),
    onMemberSeen: all.flatMap(({ onMemberSeen }) => onMemberSeen ?? []),
    loops: all.flatMap(({ loops }): readonly Loop[] => loops ?? []),
    routes: all.flatMap(({ routes }) => routes ?? []),
    cards: all.flatMap(({ cards }) => cards ?? []),
  };
}

/** The parts of all features in a process that announces, by the names of {@link FeatureParts}. */
export type Parts = Required<FeatureParts>;

type CreatedPart<Name extends keyof FeatureParts> = Extract<Member<CreatedParts, Name>, readonly unknown[]>[number];
/** Kinds and types that features have declared and none carries out; every process carries out calls, confirmations and webhooks. */
interface Missing {
  readonly effects: Exclude<
    Declared<'effects'>['kind'],
    CreatedPart<'effects'>['kind'] | 'handler' | 'confirmation' | 'webhook'
  >;
  readonly directMessages: Exclude<Declared<'directMessages'>['type'], CreatedPart<'directMessages'>['type']>;
  readonly ownerReports: Exclude<Declared<'ownerReports'>['type'], CreatedPart<'ownerReports'>['type']>;
}
type Unless<Left extends Readonly<Record<keyof Missing, never>>, Result> = keyof Left extends never ? never : Result;

/** Creates what features do beside transactions. What is missing for a kind or type does not compile. */
export async function createParts(context: CompleteContext): Promise<Unless<Missing, Parts>> {
  type Module = { readonly create: (context: CompleteContext) => FeatureParts };
  const parts = (await loadFeatures()).flatMap((module) =>
    'create' in module ? [(module as Module).create(context)] : [],
  );
  return {
    effects: parts.flatMap(({ effects }) => effects ?? []),
    directMessages: parts.flatMap(({ directMessages }) => directMessages ?? []),
    ownerReports: parts.flatMap(({ ownerReports }) => ownerReports ?? []),
    tasks: (community) => parts.flatMap(({ tasks }) => tasks?.(community) ?? []),
    async prepareTasks() {
      for (const { prepareTasks } of parts) await prepareTasks?.();
    },
    loops: parts.flatMap(({ loops }) => loops ?? []),
    async onDirectMessagesClosed(userId) {
      for (const { onDirectMessagesClosed } of parts) await onDirectMessagesClosed?.(userId);
    },
  };
}
