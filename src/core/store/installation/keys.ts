/* The keys of `installation`. */

/** The guild of the home community; empty if its listings have no guild. */
export const homeKey = 'home';

/** Whether the entries of a listing are in accounts of their own: see {@link SeparationState}. */
export function separatedKey(listing: string): string {
  return `separated ${listing}`;
}

/**
 * How far the entries of a listing were searched. `done`: no process of an earlier version is left that could add entries
 * to home accounts.
 */
export type SeparationState =
  | 'done'
  | {
      /** The highest id that was read. */
      readonly lastId: number;
      /** When an entry was last found in a home account (ms since the epoch). */
      readonly foundAt: number;
    };

/** The value of {@link separatedKey}. */
export function serializeSeparation(state: SeparationState): string {
  return state === 'done' ? '' : `${state.lastId} ${state.foundAt}`;
}

export function parseSeparation(value: string): SeparationState {
  const [lastId, foundAt] = value.split(' ').map(Number);
  return value === '' || lastId === undefined || foundAt === undefined ? 'done' : { lastId, foundAt };
}
