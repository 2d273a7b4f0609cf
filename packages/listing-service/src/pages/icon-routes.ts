import { day, second } from '@tallyhook/platform/durations';
import express, { type RequestHandler, type Router } from 'express';
import { deleteIcon, findIcon, type ListingIcon, saveIcon } from '../storage/listings/icons.ts';
import { PageError } from '../texts/page-error.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { findPathListing, isVisible, type PageDependencies, pageNotFound, sessionEnded } from './page-routes.ts';
import { resultAt } from './render-page.ts';

/** Bytes. */
const maxIconSize = 256 * 1_024;
/** The form around the picture (bytes). */
const maxFormSize = maxIconSize + 4 * 1_024;
/** Pixels. */
const minSide = 16;
const maxSide = 1_024;

const cachedSeconds = (365 * day) / second;

function cachingOf(isPublic: boolean, isCurrent: boolean): string {
  if (!isPublic) return 'private, no-store';
  return isCurrent ? `public, max-age=${cachedSeconds}, immutable` : 'no-cache';
}

/**
 * The icons of listings. They were uploaded by anybody, so the browser must not treat them as anything but a picture,
 * also where somebody opens one by its address.
 */
export function iconRoute({ database, clock, sessions }: PageDependencies): Router {
  const router = express.Router();
  router.get('/listings/:id/icon', async (request, response) => {
    const listing = await findPathListing(database, request.params.id);
    if (listing === null || listing.iconVersion === null) throw pageNotFound();
    const isPublic = listing.state === 'published';
    const visitor = isPublic ? null : await sessions.visitor(request, clock.now());
    if (!(await isVisible(database, listing, visitor))) throw pageNotFound();
    const icon = await findIcon(database, listing.id);
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

export function addIconForms(dashboard: Dashboard, { database, clock, sessions }: PageDependencies): void {
  /** The body is read for members only. */
  const requireSession: RequestHandler = async (request, _response, next) => {
    if (await sessions.visitor(request, clock.now())) return next();
    throw sessionEnded();
  };
  dashboard.routes.router.post('/dashboard/:id/icon', requireSession, parseUpload);

  dashboard.form('/icon', 'edit', async ({ request, listing }) => {
    await saveIcon(database, listing.id, await readIcon(request.body));
    return resultAt('icon', 'icon-saved');
  });

  dashboard.form('/icon/remove', null, async ({ listing }) => {
    await deleteIcon(database, listing.id);
    return resultAt('icon', 'icon-removed');
  });
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
      throw new PageError(400, ({ text }) => text('errors.unreadable'));
    });
    request.body = { token: form.get('token'), icon: form.get('icon') };
  }
  next();
};

/** @throws PageError 400 or 413 */
async function readIcon({ icon }: { readonly icon?: unknown }): Promise<Pick<ListingIcon, 'type' | 'bytes'>> {
  if (!(icon instanceof Blob) || icon.size === 0) {
    throw new PageError(400, ({ text }) => text('errors.choosePicture'));
  }
  if (icon.size > maxIconSize) throw tooLarge();
  const bytes = Buffer.from(await icon.arrayBuffer());
  const header = readImageHeader(bytes);
  if (header === null) throw new PageError(400, ({ text }) => text('errors.noPicture'));
  const { type, width, height } = header;
  if (Math.min(width, height) < minSide || Math.max(width, height) > maxSide) {
    const size = `${width} × ${height}`;
    const limits = { min: `${minSide} × ${minSide}`, max: `${maxSide} × ${maxSide}` };
    throw new PageError(400, ({ text }) => text('errors.pictureSize', { size, ...limits }));
  }
  return { type, bytes };
}

function tooLarge(): PageError {
  return new PageError(413, ({ text }) => text('errors.pictureTooLarge'));
}

/** The format and size of a picture, as its first bytes say. */
interface ImageHeader {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** Recognizes PNG, JPEG, GIF and WebP by their bytes, whatever the file is called; null for anything else. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  for (const read of [readPng, readGif, readWebp, readJpeg]) {
    const header = read(bytes);
    if (header !== null) return header;
  }
  return null;
}

function readPng(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageHeader | null {
  const signature = bytes.toString('latin1', 0, 6);
  if (bytes.length < 13 || (signature !== 'GIF87a' && signature !== 'GIF89a')) return null;
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Three forms: extended, lossless and lossy (RFC 9649). */
function readWebp(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null;
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { type: 'image/webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null;
      const size = bytes.readUInt32LE(21);
      return { type: 'image/webp', width: (size & 0x3fff) + 1, height: ((size >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (bytes.toString('latin1', 23, 26) !== '\x9d\x01\x2a') return null;
      return { type: 'image/webp', width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

/** The size is in the first frame header (SOF0 to SOF15 without DHT, JPG and DAC), behind segments of any length. */
function readJpeg(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes.readUInt16BE(at);
    const length = bytes.readUInt16BE(at + 2);
    if (marker < 0xffc0 || marker > 0xfffe || length < 2) return null;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + length;
  }
  return null;
}
