import { hasNumbers, isObject } from '../../platform/json.ts';
import type { LastVotes } from '../ledger/account.ts';

/* Plain functions, because `last_votes` is read for every vote. */

/** Parses `balances.last_votes`. Throws an Error if it is not an object of times. */
export function parseLastVotes(text: string): LastVotes {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !hasNumbers(value)) throw new Error('balances.last_votes is not an object of times.');
  return value;
}

/** Parses `balances.roles`. Throws an Error if it is not an array of Discord IDs. */
export function parseRoles(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('balances.roles is not an array of ids.');
  }
  return value;
}
