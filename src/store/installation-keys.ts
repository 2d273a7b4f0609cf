/* The keys of `installation`. */

/** The guild of the home community; empty if its listings have no guild. */
export const homeKey = 'home';

/** Whether the entries of a listing are in accounts of their own. */
export function separatedKey(listing: string): string {
  return `separated ${listing}`;
}
