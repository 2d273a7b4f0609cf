import { randomBytes } from 'node:crypto';

/** Discord IDs are digits, so no member has such an id. */
export const pseudonymPrefix = 'forgotten';

/** A random id that replaces that of a member who is forgotten. It cannot be computed from the member's id. */
export function createPseudonym(): string {
  return pseudonymPrefix + randomBytes(10).toString('hex');
}

/** Whether the id is one of {@link createPseudonym}. */
export function isPseudonym(userId: string): boolean {
  return userId.startsWith(pseudonymPrefix);
}
