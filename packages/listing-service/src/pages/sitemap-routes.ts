import { isoTime, minute, second } from '@tallyhook/platform/durations';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { html } from '@tallyhook/platform/web/html';
import express, { type Response, type Router } from 'express';
import { apiBasePath } from '../api/openapi.ts';
import { legalPages } from '../face/face.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import { partsOfPublished, publishedListings } from '../storage/listings/published.ts';
import { type PageDependencies, pageNotFound } from './page-routes.ts';
import { sendText } from './send-text.ts';

/** Addresses in one sitemap, as the protocol allows (https://www.sitemaps.org/protocol.html). */
const maxAddresses = 50_000;
const lifetimeMs = 10 * minute;
const kinds = ['server', 'bot'] as const;

/** Paths that search engines should not visit: pages of members, forms, and the API. `*` is any text (RFC 9309). */
const disallowed = [
  ...[`${apiBasePath}/`, '/connect/', '/dashboard', '/moderation', '/sign-in', '/your-data', '/*/report$'],
];

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/**
 * Files for search engines: `robots.txt` with the paths that they may visit, and a sitemap of all public pages. Each
 * page is one address in all languages, since it answers in that of the visitor.
 */
export function sitemapRoutes({ database, origin, face }: PageDependencies): Router {
  const router = express.Router();

  router.get('/robots.txt', (_request, response) => {
    const rules = ['User-agent: *', ...disallowed.map((path) => `Disallow: ${path}`)];
    cached(response, 'text/plain').send(`${rules.join('\n')}\n\nSitemap: ${origin}/sitemap.xml\n`);
  });

  router.get('/sitemap.xml', async (_request, response) => {
    const sitemaps = ['/sitemap-pages.xml'];
    for (const kind of kinds) {
      const parts = await partsOfPublished(database, kind, maxAddresses);
      sitemaps.push(...parts.map((after) => sitemapPath(kind, after)));
    }
    const entries = sitemaps.map((path) => html`<sitemap><loc>${origin}${path}</loc></sitemap>\n`.text).join('');
    cached(response).send(`${declaration}<sitemapindex ${namespace}>\n${entries}</sitemapindex>\n`);
  });

  router.get('/sitemap-pages.xml', (_request, response) => {
    const paths = ['/', ...legalPages(face).map((name) => `/${name}`)];
    const entries = paths.map((path) => html`<url><loc>${origin}${path}</loc></url>\n`.text).join('');
    cached(response).send(`${declaration}<urlset ${namespace}>\n${entries}</urlset>\n`);
  });

  for (const kind of kinds) {
    router.get(sitemapPath(kind, ''), async (request, response) => {
      const { after = '' } = request.query;
      if (after !== '' && !isSnowflake(after)) throw pageNotFound();
      const batches = publishedListings(database, kind, { after, limit: maxAddresses });
      const first = await batches.next();
      // A sitemap has at least one address.
      if (first.done) throw pageNotFound();
      await sendText(cached(response), listingsSitemap(kind, first.value, batches));
    });
  }

  type Batch = readonly { readonly id: string; readonly updatedAt: number }[];

  async function* listingsSitemap(kind: ServiceListingKind, first: Batch, others: AsyncIterable<Batch>) {
    const entriesOf = (batch: Batch) =>
      batch
        .map(({ id, updatedAt }) => {
          return html`<url><loc>${origin}${pagePath({ kind, id })}</loc><lastmod>${isoTime(updatedAt)}</lastmod></url>\n`
            .text;
        })
        .join('');
    yield `${declaration}<urlset ${namespace}>\n${entriesOf(first)}`;
    for await (const batch of others) yield entriesOf(batch);
    yield '</urlset>\n';
  }

  return router;
}

/** At the root: a sitemap names only addresses below its own. */
function sitemapPath(kind: ServiceListingKind, after: string): string {
  return `/sitemap-${kind}s.xml${after === '' ? '' : `?after=${after}`}`;
}

function cached(response: Response, type = 'application/xml'): Response {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': `public, max-age=${lifetimeMs / second}`,
  };
  return response.set(headers);
}
