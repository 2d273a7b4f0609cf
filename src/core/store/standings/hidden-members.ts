import { type Expression, type SqlBool, sql } from 'kysely';
import { parseRoles } from '../account-columns.ts';

/**
 * Condition of a query of `balances`: the member was last seen with none of these roles (Discord IDs), which keep their
 * members off leaderboards and from prizes. Null without such roles, so that no query pays for it.
 */
export function isShown(hiddenRoles: readonly string[]): Expression<SqlBool> | null {
  if (hiddenRoles.length === 0) return null;
  // The ids in the column are quoted, so that no id is found within a longer one.
  const has = hiddenRoles.map((role) => sql`${sql.ref('balances.roles')} like ${sql.lit(`%"${role}"%`)}`);
  return sql<SqlBool>`(${sql.ref('balances.roles')} is null or not (${sql.join(has, sql` or `)}))`;
}

/** True if the member of an account with these stored roles is left out. @param roles the column `balances.roles` */
export function isHidden(roles: string | null, hiddenRoles: readonly string[]): boolean {
  return hiddenRoles.length > 0 && roles !== null && parseRoles(roles).some((role) => hiddenRoles.includes(role));
}
