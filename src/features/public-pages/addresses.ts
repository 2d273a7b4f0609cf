import type { Clock } from '@tallyhook/platform/clock';
import { objectOf } from '@tallyhook/platform/json';
import type { CommunityId } from '../../core/ledger/account.ts';
import { rule } from '../../core/settings/value-schemas.ts';
import type { Community, Directory } from '../communities/feature.ts';
import type { SettingIssue } from '../settings/feature.ts';
import { publicPage } from './settings.ts';
import { publicSlug } from './slug.ts';
import type { PublicPageStore } from './store.ts';

export type Addresses = ReturnType<typeof createAddresses>;

/**
 * Whose page is at which address. The settings of a community say which one it wants; it has it if it was the first of
 * the installation to want it, which the database knows. Methods reject with the errors of the store.
 */
export function createAddresses(options: {
  readonly store: { readonly publicPages: PublicPageStore };
  readonly directory: Pick<Directory, 'communities' | 'ofGuild' | 'onChange'>;
  readonly clock: Pick<Clock, 'now'>;
}) {
  const { store, directory, clock } = options;
  let wanted: ReadonlyMap<string | null, readonly Community[]> | null = null;
  directory.onChange(() => {
    wanted = null;
  });

  function wanting(slug: string): readonly Community[] {
    wanted ??= Map.groupBy(directory.communities, (community) => publicSlug.in(community));
    return wanted.get(slug) ?? [];
  }

  async function holderOf(slug: string, ifFree: CommunityId): Promise<CommunityId> {
    const { publicPages } = store;
    return (await publicPages.holder(slug)) ?? publicPages.take(slug, ifFree, clock.now());
  }

  return {
    /** The community whose page is there now; null if none is. Only an address that somebody wants causes a query. */
    async find(slug: string): Promise<Community | null> {
      const [first, ...others] = wanting(slug);
      if (first === undefined) return null;
      const holder = await holderOf(slug, first.id);
      return [first, ...others].find(({ id }) => id === holder) ?? null;
    },

    /**
     * Takes the address that the settings of a guild name, unless another community has it or had it first.
     * @param values of settings by their paths, as in the file
     */
    async issuesOf(guildId: string, values: ReadonlyMap<string, unknown>): Promise<readonly SettingIssue[]> {
      const { slug } = objectOf(values.get(publicPage.path));
      if (typeof slug !== 'string') return [];
      const own = directory.ofGuild(guildId)?.id ?? null;
      // Who wants it already comes before who is about to.
      const ifFree = wanting(slug)[0]?.id ?? own;
      if (ifFree === null) return (await store.publicPages.holder(slug)) === null ? [] : [taken];
      return (await holderOf(slug, ifFree)) === own ? [] : [taken];
    },
  };
}

const taken: SettingIssue = {
  listing: null,
  path: publicPage.path,
  code: 'invalid',
  problem: 'has an address that another server has, or had first.',
  hint: 'Choose another one.',
  position: ['slug'],
  rule: rule('pageTaken'),
};
