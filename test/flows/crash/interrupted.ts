import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';

/** What was waiting in the database when the programs were killed: effects by kind. */
export interface Interrupted {
  readonly waiting: Readonly<Record<string, number>>;
  /** Those that were being carried out: it was not stored whether they were. */
  readonly begun: Readonly<Record<string, number>>;
  /** The ids of those messages among them that Discord would accept twice after a while. */
  readonly messages: readonly number[];
}

export async function readInterrupted(url: string, now: number): Promise<Interrupted> {
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  const effects = await run(db.selectFrom('effects').select(['id', 'kind', 'attempts']).where('state', '=', 'waiting'));
  const planned = await run(db.selectFrom('planned_effects').select('key').where('due_at', '<=', now));
  await snapshot.close();
  const begun = effects.filter(({ attempts }) => attempts > 0);
  return {
    waiting: countBy([...effects.map(({ kind }) => kind), ...planned.map(() => 'planned')]),
    begun: countBy(begun.map(({ kind }) => kind)),
    messages: begun.filter(({ kind }) => kind === 'ownerReport' || kind === 'directMessage').map(({ id }) => id),
  };
}

export function addCounts(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
