import express, { type RequestHandler, Router } from 'express';
import { HttpError } from '../../../platform/web/http-error.ts';
import { readImageHeader } from '../../listing/image-header.ts';
import { deleteIcon, type ListingIcon, saveIcon } from '../../storage/listings/icons.ts';
import type { PageDependencies } from '../dependencies.ts';
import type { Dashboard } from './dashboard.ts';

/** Bytes. */
const maxIconSize = 256 * 1_024;
/** The form around the picture (bytes). */
const maxFormSize = maxIconSize + 4 * 1_024;
/** Pixels. */
const minSide = 16;
const maxSide = 1_024;

/** The forms of the icon. */
export function iconRoutes(dependencies: PageDependencies, dashboard: Dashboard): Router {
  const { sending, sessions } = dependencies;
  const { database, clock } = sending;
  const router = Router();

  /** The body is read for members only. */
  const requireSession: RequestHandler = async (request, _response, next) => {
    if (await sessions.visitor(request, clock.now())) return next();
    throw new HttpError(403, 'Your session has ended. Please sign in and send the form again.');
  };

  router.post<{ id: string }>('/dashboard/:id/icon', requireSession, parseUpload, async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request, 'edit');
    await saveIcon(database, listing.id, await readIcon(request.body));
    response.redirect(303, `/dashboard/${listing.id}?notice=icon-saved#icon`);
  });

  router.post('/dashboard/:id/icon/remove', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    await deleteIcon(database, listing.id);
    response.redirect(303, `/dashboard/${listing.id}?notice=icon-removed#icon`);
  });

  return router;
}

const readMultipart = express.raw({ type: 'multipart/form-data', limit: maxFormSize });

/** Parses a form with a file into its fields, as the parser of other forms does. */
const parseUpload: RequestHandler = async (request, response, next) => {
  await new Promise<void>((resolve, reject) => {
    readMultipart(request, response, (error: unknown) => {
      if (error === undefined) return resolve();
      reject(error instanceof Error && 'status' in error && error.status === 413 ? tooLarge() : error);
    });
  });
  if (Buffer.isBuffer(request.body)) {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(new Uint8Array(request.body), { headers }).formData().catch(() => {
      throw new HttpError(400, 'The form cannot be read.');
    });
    request.body = { token: form.get('token'), icon: form.get('icon') };
  }
  next();
};

/** @throws HttpError 400 or 413 */
async function readIcon({ icon }: { readonly icon?: unknown }): Promise<Pick<ListingIcon, 'type' | 'bytes'>> {
  if (!(icon instanceof Blob) || icon.size === 0) throw new HttpError(400, 'Choose a picture.');
  if (icon.size > maxIconSize) throw tooLarge();
  const bytes = Buffer.from(await icon.arrayBuffer());
  const header = readImageHeader(bytes);
  if (header === null) throw new HttpError(400, 'This is not a PNG, JPEG, WebP or GIF picture.');
  const { type, width, height } = header;
  if (Math.min(width, height) < minSide || Math.max(width, height) > maxSide) {
    const limits = `${minSide} × ${minSide} to ${maxSide} × ${maxSide}`;
    throw new HttpError(400, `The picture has ${width} × ${height} pixels. It must have ${limits}.`);
  }
  return { type, bytes };
}

function tooLarge(): HttpError {
  return new HttpError(413, 'The picture is too large: at most 256 KB.');
}
