import { Router } from 'express';
import { day, second } from '../../platform/durations.ts';
import { isSnowflake } from '../../platform/snowflake.ts';
import { findIcon } from '../storage/listings/icons.ts';
import { findListing } from '../storage/listings/listings.ts';
import type { PageDependencies } from './dependencies.ts';
import { isVisible } from './find-page-listing.ts';
import { pageNotFound } from './render-page.ts';

const cachedSeconds = (365 * day) / second;

function cachingOf(isPublic: boolean, isCurrent: boolean): string {
  if (!isPublic) return 'private, no-store';
  return isCurrent ? `public, max-age=${cachedSeconds}, immutable` : 'no-cache';
}

/**
 * The icons of listings. They were uploaded by anybody, so the browser must not treat them as anything but a picture,
 * also where somebody opens one by its address.
 */
export function iconRoute({ sending, sessions }: PageDependencies): Router {
  const { database, clock } = sending;
  const router = Router();
  router.get('/listings/:id/icon', async (request, response) => {
    const { id } = request.params;
    const listing = isSnowflake(id) ? await findListing(database, id) : null;
    if (listing === null || listing.iconVersion === null) throw pageNotFound();
    const isPublic = listing.state === 'published';
    if (!isPublic && !isVisible(listing, await sessions.visitor(request, clock.now()))) throw pageNotFound();
    const icon = await findIcon(database, id);
    if (icon === null) throw pageNotFound();
    const isCurrent = request.query['v'] === icon.version;
    response.set({
      'Content-Type': icon.type,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': cachingOf(isPublic, isCurrent),
      ETag: `"${icon.version}"`,
    });
    response.send(icon.bytes);
  });
  return router;
}
