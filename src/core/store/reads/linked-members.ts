import type { Kysely } from 'kysely';
import type { LinkedMembers } from '../../../features/linked-roles/linked-members.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { readValues, toLinkedMember } from '../linked-values.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** The port to linked members over SQL. */
export function sqlLinkedMembers(db: Kysely<Tables>, reading: Connection, write: Write): LinkedMembers {
  return {
    async keyId() {
      const state = db.selectFrom('settings_state').select('key_id').where('id', '=', literal(1));
      const [row] = await run(reading, state);
      return row?.key_id ?? null;
    },
    link: (member, now) => write('linkMember', member, now),
    async find(userId) {
      const [row] = await run(reading, db.selectFrom('linked_members').selectAll().where('user_id', '=', userId));
      return row === undefined ? null : toLinkedMember(row);
    },
    unlink: (userId) => write('unlinkMember', userId),
    beginUpdate: (userId, now) => write('beginRoleConnectionUpdate', userId, now),
    saveUpdate: (userId, pushed) => write('saveRoleConnectionUpdate', userId, pushed),
    leaseRefresh: (userId, now, until) => write('leaseTokenRefresh', userId, now, until),
    saveTokens: (userId, tokens) => write('saveMemberTokens', userId, tokens),
    releaseRefresh: (userId) => write('releaseTokenRefresh', userId),
    async valuesAfter(userId, now, limit) {
      const next = db.selectFrom('linked_members').select(['user_id', 'pushed']).where('user_id', '>', userId);
      const rows = await run(reading, next.orderBy('user_id').limit(limit));
      return readValues(db, reading, rows, now);
    },
    requestUpdate: (userId, now, unlessSince) => write('requestRoleConnectionUpdate', userId, now, unlessSince),
  };
}
