import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import type { PublicPageTables } from './store.ts';
import * as sql from './store.ts';

export { pagesPath, publicSlug } from './slug.ts';

const deletePages = deleteRowsByKey<PublicPageTables>('public_pages', 'community_id', ['slug']);
const deleteAbsences = deleteRowsByKey<PublicPageTables>('public_page_absences', 'community_id', [
  'community_id',
  'user_id',
]);

export const publicPages = {
  sql,
  tables: {
    public_pages: { withoutMembers: 'Addresses of communities.' },
    public_page_absences: deletedRows<PublicPageTables>('public_page_absences'),
  },
  deleteOfGuild: async (...args) => (await deleteAbsences(...args)) || deletePages(...args),
} satisfies Feature<PublicPageTables>;
