import { objectOf, textOf } from '@tallyhook/platform/json';
import { escapeInline } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { setting } from '../../core/settings/setting-spec.ts';
import { breaks, rule } from '../../core/settings/value-schemas.ts';
import { pagesPath, publicSlug, slugPattern } from './slug.ts';

const slug = z.string().regex(slugPattern, {
  ...breaks(rule('pageAddress'), 'it must have 3 to 40 characters: lower-case letters, digits and hyphens'),
});

export const publicPage = setting({
  path: 'publicPage',
  description:
    'A [page on the web](public-pages.md) with the leaderboard, the prizes, the raffle and the links to vote, for everyone who has its address. Listings of one guild share it.',
  schema: z.strictObject({
    slug: slug.describe(
      'The end of its address, `/c/<slug>`: 3 to 40 lower-case letters, digits and hyphens. No other guild of the installation can have it.',
    ),
  }),
  isShared: true,
  canBeOff: true,
  inFile: (settings) => {
    const own = publicSlug.in(settings);
    return own === null ? null : { slug: own };
  },
  inEffect: (page) => publicSlug.as(page?.slug ?? null),
  show: (value) => escapeInline(`${pagesPath}/${textOf(objectOf(value)['slug'])}`),
  form: 'publicPage',
  fields: [
    { name: 'pageAddress', kind: 'text', part: 'slug', isRequiredPart: true, hint: 'pageAddress', maxLength: 40 },
  ],
});
