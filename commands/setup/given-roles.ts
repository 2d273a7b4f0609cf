import { isEqual, listOf, objectOf } from '../../src/platform/json.ts';

/** A setting before and after a change; undefined for one that `/setup` does not store. */
export interface ValueChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A role that members are given. */
export interface GivenRole {
  /** The setting that names it. */
  readonly path: string;
  /** The id; external, so it can be anything. */
  readonly role: unknown;
}

interface Entry extends GivenRole {
  /** What the role is given for. */
  readonly entry: unknown;
}

/**
 * The roles that are given after a change and were not before, or not in this way. Not those that a member only needs,
 * and not those of the operator's file and environment, which `/setup` does not store.
 */
export function newlyGivenRoles(changes: readonly ValueChange[]): readonly GivenRole[] {
  return changes.flatMap(({ path, before, after }) => {
    const earlier = entriesOf(path, before);
    return entriesOf(path, after)
      .filter(({ entry }) => !earlier.some((each) => isEqual(each.entry, entry)))
      .map(({ role }) => ({ path, role }));
  });
}

function entriesOf(path: string, value: unknown): readonly Entry[] {
  return unfilteredEntries(path, value)
    .filter(({ role }) => role !== undefined && role !== null)
    .map((each) => ({ path, ...each }));
}

function unfilteredEntries(path: string, value: unknown): readonly Omit<Entry, 'path'>[] {
  switch (path) {
    case 'rewards.voterRole':
      return [{ role: objectOf(value)['role'], entry: value }];
    case 'rewards.premiumRoles':
      return Object.entries(objectOf(value)).map(([tier, role]) => ({ role, entry: [tier, role] }));
    case 'rewards.milestones':
    case 'shop':
      return listOf(value).map((entry) => ({ role: entry['role'], entry }));
    default:
      return [];
  }
}
