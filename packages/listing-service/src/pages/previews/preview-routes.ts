import { createHash } from 'node:crypto';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { minute, second } from '@tallyhook/platform/durations';
import { createDraw } from '@tallyhook/platform/pictures/draw';
import { localeFor } from '@tallyhook/platform/texts/locale';
import { type Html, html } from '@tallyhook/platform/web/html';
import express, { type Request, type Response, type Router } from 'express';
import { findIcon } from '../../storage/listings/icons.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { rankOf } from '../../storage/listings/search.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import { PageError } from '../../texts/page-error.ts';
import { englishTexts, serviceTextsIn } from '../../texts/texts.ts';
import { languageParameter } from '../language.ts';
import { listingLine } from '../listing-parts.ts';
import { findPathListing, type PageDependencies, pageNotFound } from '../page-routes.ts';
import { listingPicture, type PreviewContent } from './listing-picture.ts';

/** How long a browser, or a proxy of a site that embeds one, may show the same picture (ms). */
const badgeLifetimeMs = 5 * minute;
const pictureLifetimeMs = 10 * minute;

/** Pictures in memory, of 20 to 300 KB each. */
const maxPictures = 50;
/** Pictures that wait to be drawn, two at a time. More are refused. */
const maxWaiting = 40;

/**
 * Pictures of a published listing for other sites: the badge that its owner embeds, and the picture in previews of
 * links. They have no session, set no cookie, and are the same for everybody.
 */
export function previewRoutes({ database, clock, log, face }: PageDependencies): Router {
  const router = express.Router();
  const draw = createDraw({ log, without: 'previews of links have none' });
  const pictures = new BoundedMap<Promise<Uint8Array | null>>(maxPictures);
  let waiting = 0;

  /** @throws PageError 404 */
  async function readPublished(id: string) {
    const listing = await findPathListing(database, id);
    if (listing?.state !== 'published') throw pageNotFound();
    const now = clock.now();
    return { listing, votes: await countVotesOfMonth(database, listing.id, now), now };
  }

  router.get('/badge/:id.svg', async (request, response) => {
    const { listing, votes } = await readPublished(request.params.id);
    const language = request.query[languageParameter];
    const texts = serviceTextsIn(localeFor(typeof language === 'string' ? language : null));
    const { text } = texts;
    const title = text('listing.voteFor', { name: listing.name });
    const image = badge(title, text('listing.voteForUs'), text('counts.votesThisMonth', { count: votes })).text;
    if (isCurrent(request, response, { content: image, lifetimeMs: badgeLifetimeMs })) return;
    response.type('svg').send(image);
  });

  router.get('/listings/:id/preview.png', async (request, response) => {
    const { listing, votes, now } = await readPublished(request.params.id);
    const content = contentOf(listing, votes, await rankOf(database, listing, votes, now), face.name);
    const key = JSON.stringify([content, listing.iconVersion]);
    if (isCurrent(request, response, { content: key, lifetimeMs: pictureLifetimeMs })) return;
    const picture = await (pictures.get(key) ?? drawOnce(key, listing, content));
    if (picture === null) throw pageNotFound();
    response.type('png').send(Buffer.from(picture));
  });

  /** @throws PageError 503 */
  function drawOnce(key: string, listing: StoredListing, content: Omit<PreviewContent, 'icon'>) {
    if (waiting >= maxWaiting) throw new PageError(503, ({ text }) => text('errors.unexpectedHint'), 5);
    waiting += 1;
    const drawing = drawListing(listing, content).finally(() => {
      waiting -= 1;
    });
    pictures.set(key, drawing);
    // So that the next request tries again.
    const forget = () => pictures.delete(key);
    drawing.then((picture) => picture ?? forget(), forget);
    return drawing;
  }

  /** An icon that cannot be decoded is left out. */
  async function drawListing(listing: StoredListing, content: Omit<PreviewContent, 'icon'>) {
    const icon = listing.iconVersion === null ? null : await findIcon(database, listing.id);
    // A GIF of some bytes can say that a frame has billions of pixels, which takes minutes. Decoders of the others check it.
    const file = icon === null || icon.type === 'image/gif' ? null : icon.bytes;
    const picture = file && (await draw(() => listingPicture({ ...content, icon: file }), 1));
    return picture ?? draw(() => listingPicture({ ...content, icon: null }), 1);
  }

  return router;
}

/** In English, since other sites ask without a visitor's language. */
function contentOf(
  listing: StoredListing,
  votes: number,
  rank: number,
  siteName?: string,
): Omit<PreviewContent, 'icon'> {
  const texts = englishTexts();
  return {
    listing: { id: listing.id, name: listing.name },
    subtitle: listingLine(listing, texts),
    figures: [
      [texts.number(votes), votes === 1 ? 'vote this month' : 'votes this month'],
      [`#${texts.number(rank)}`, listing.kind === 'server' ? 'of the servers' : 'of the bots'],
    ],
    siteName: siteName ?? texts.text('siteName'),
  };
}

/** Sets the headers of a picture that other sites may show, and responds with 304 to a client that has it. */
function isCurrent(
  request: Request,
  response: Response,
  { content, lifetimeMs }: { readonly content: string; readonly lifetimeMs: number },
): boolean {
  response.set({
    'Cache-Control': `public, max-age=${lifetimeMs / second}`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `"${createHash('sha256').update(content).digest('base64url')}"`,
  });
  if (request.fresh) response.status(304).end();
  return request.fresh;
}

const height = 28;
const fontSize = 13;
const padding = 10;

/**
 * Two short texts side by side, as an SVG that other sites embed: neither a script nor a style sheet, so it looks the same
 * under any Content-Security-Policy.
 * @param title read out in place of the picture, where the page has no other text for it
 */
export function badge(title: string, label: string, value: string): Html {
  const [left, right] = [widthOf(label), widthOf(value)];
  const width = left + right + 4 * padding;
  const text = (content: string, x: number, length: number) =>
    html`<text x="${x}" y="18.5" textLength="${length}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="shape"><rect width="${width}" height="${height}" rx="6"/></clipPath>
<g clip-path="url(#shape)">
<rect width="${left + 2 * padding}" height="${height}" fill="#1f5f6b"/>
<rect x="${left + 2 * padding}" width="${right + 2 * padding}" height="${height}" fill="#1d2430"/>
</g>
<g fill="#ffffff" font-family="Verdana, 'DejaVu Sans', sans-serif" font-size="${fontSize}">
${text(label, padding, left)}
${text(value, left + 3 * padding, right)}
</g>
</svg>
`;
}

/** About the width of a text. It is drawn in exactly this width, whatever fonts there are. */
function widthOf(text: string): number {
  const widths = Array.from(text, (character): number => {
    if (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u.test(character)) return 1;
    if (/[.,:;!|'iljtfrI\s\u00A0\u202F]/u.test(character)) return 0.36;
    return /[mwMW]/.test(character) ? 0.95 : /\p{M}/u.test(character) ? 0 : 0.63;
  });
  return Math.round(widths.reduce((sum, width) => sum + width, 0) * fontSize);
}
