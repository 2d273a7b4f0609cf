import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { planRoleConnection } from './role-connection.ts';
import * as sql from './store.ts';
import { tables } from './tables.ts';

export const linkedRoles = {
  sql,
  effects,
  tables,
  onVote: { of: { member: 'roleConnection' }, call: planRoleConnection },
  onPremium: { of: { member: 'roleConnection' }, call: planRoleConnection },
  load: () => import('./parts.ts'),
} satisfies Feature;

export { tokenContext } from './member-tokens.ts';
