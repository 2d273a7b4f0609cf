import { cut } from '@tallyhook/platform/truncate';
import { type Html, html } from '@tallyhook/platform/web/html';
import { pagePath } from '../../listing/listing.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import type { PageDependencies } from '../page-routes.ts';
import { previewSize } from './listing-picture.ts';

/** Discord shows about as much of a description. */
const maxDescription = 300;

const picturePath = ({ id }: Pick<StoredListing, 'id'>) => `/listings/${id}/preview.png`;
export const badgePath = ({ id }: Pick<StoredListing, 'id'>) => `/badge/${id}.svg`;

/** Meta tags for the preview of a link to a listing: Open Graph, https://ogp.me, and Twitter's card. */
export function previewTags(
  listing: StoredListing,
  votes: number,
  texts: ServiceTexts,
  { origin, face }: Pick<PageDependencies, 'origin' | 'face'>,
): Html | null {
  if (listing.state !== 'published') return null;
  const counted = texts.text('counts.votesThisMonth', { count: votes });
  const description = cut(listing.description.replace(/\s+/g, ' '), maxDescription);
  const properties = {
    'og:type': 'website',
    'og:site_name': face.name ?? texts.text('siteName'),
    'og:title': listing.name,
    'og:description': description === '' ? counted : description,
    'og:url': origin + pagePath(listing),
    // Sites keep a picture by its address.
    'og:image': `${origin}${picturePath(listing)}?v=${votes}`,
    'og:image:width': previewSize.width,
    'og:image:height': previewSize.height,
    'og:image:alt': `${listing.name}: ${counted}`,
  };
  return html`<meta name="description" content="${properties['og:description']}">
<link rel="canonical" href="${properties['og:url']}">
${Object.entries(properties).map(([name, content]) => html`<meta property="${name}" content="${content}">\n`)}<meta name="twitter:card" content="summary_large_image">`;
}
