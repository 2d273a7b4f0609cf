import { readFile } from 'node:fs/promises';
import { messageOf } from '@tallyhook/platform/errors';
import { type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import type { ServiceFace } from '../face/face.ts';
import { readImageHeader } from '../pages/icon-routes.ts';
import type { StartOptions } from './options.ts';

const maxNameLength = 60;
const maxLinkText = 60;
/** Bytes. */
const maxLogoSize = 256 * 1_024;
const maxTextSize = 256 * 1_024;

/**
 * Name, logo, colour, links and legal texts of the pages: each an option, or the variable `SERVICE_…` of the same name.
 * @throws UsageError
 */
export async function readFace(values: StartOptions, terminal: Terminal): Promise<ServiceFace> {
  const read = (name: 'name' | 'logo' | 'accent' | 'imprint' | 'privacy' | 'terms') =>
    values[name] ?? (terminal.environment?.[`SERVICE_${name.toUpperCase()}`] || undefined);
  const links = values.footerLink ?? terminal.environment?.['SERVICE_FOOTER_LINKS']?.split('\n') ?? [];
  const [name, accent, logo] = [read('name'), read('accent'), read('logo')];
  const face: { -readonly [Key in keyof ServiceFace]: ServiceFace[Key] } = {
    footerLinks: links.filter((link) => link.trim() !== '').map(readLink),
  };
  if (name !== undefined) face.name = readName(name);
  if (accent !== undefined) face.accent = readAccent(accent);
  if (logo !== undefined) face.logo = readLogo(logo, await readFileOf('--logo', logo, maxLogoSize));
  for (const page of ['imprint', 'privacy', 'terms'] as const) {
    const path = read(page);
    if (path !== undefined) face[page] = readLegalText(`--${page}`, path);
  }
  return face;
}

function readName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= maxNameLength) return name;
  throw new UsageError(`--name must have 1 to ${maxNameLength} characters.`);
}

function readAccent(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase();
  throw new UsageError('--accent must be a colour such as #1f5f6b.');
}

function readLink(link: string): { readonly text: string; readonly url: string } {
  const end = link.indexOf('=');
  const [text, url] = [link.slice(0, Math.max(0, end)).trim(), link.slice(end + 1).trim()];
  const isAddress = /^(?:https:\/\/|mailto:)\S+$/.test(url) && URL.canParse(url);
  if (text !== '' && text.length <= maxLinkText && isAddress) return { text, url };
  throw new UsageError(
    `--footer-link must be "Text=https://…" or "Text=mailto:…", the text up to ${maxLinkText} characters.`,
  );
}

function readLegalText(option: string, path: string): string {
  try {
    return readTextFile(path, maxTextSize);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new UsageError(`${option}: ${error.message} ${error.hint}`);
  }
}

/** By its bytes, whatever the file is called, except for SVG. */
function readLogo(path: string, bytes: Buffer): NonNullable<ServiceFace['logo']> {
  const type = readImageHeader(bytes)?.type;
  if (type !== undefined) return { type, bytes };
  if (path.endsWith('.svg') && /^\s*(?:<\?xml|<svg|<!--)/.test(bytes.toString('utf8')))
    return { type: 'image/svg+xml', bytes };
  throw new UsageError('--logo must be a PNG, JPEG, WebP or GIF picture, or an SVG whose name ends in .svg.');
}

async function readFileOf(option: string, path: string, maxSize: number): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${option} must be a file that can be read: ${messageOf(error)}.`);
  });
  if (bytes.length <= maxSize) return bytes;
  throw new UsageError(`${option} must be a file of at most ${maxSize / 1_024} KB.`);
}
