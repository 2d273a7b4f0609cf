import express, { type RequestHandler, Router } from 'express';
import { HttpError } from '../../../platform/web/http-error.ts';
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
