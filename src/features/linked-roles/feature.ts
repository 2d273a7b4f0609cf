import type { Feature } from '../../core/feature.ts';
import { planRoleConnection, roleConnectionKind, roleConnectionQueue } from './role-connection.ts';
import * as sql from './store.ts';

export const linkedRoles = {
  sql,
  effects: [roleConnectionKind],
  tables: {
    // Their tokens are secrets, of no use to the member.
    linked_members: {
      select: (db, { userId }) => {
        const members = db.selectFrom('linked_members').select(['user_id', 'locale', 'linked_at', 'pushed']);
        return [members.where('user_id', '=', userId)];
      },
      forget: (db, { userId }) => [db.deleteFrom('linked_members').where('user_id', '=', userId)],
    },
  },
  onVote: { of: { mark: 'role_connection' }, call: planRoleConnection },
  onPremium: { of: { mark: 'role_connection' }, call: planRoleConnection },
  queueOf: roleConnectionQueue,
} satisfies Feature;

export { tokenContext } from './store.ts';
