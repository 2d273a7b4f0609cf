import { parseJson } from '@tallyhook/platform/json';
import { isObject } from '../fields.ts';
import { isSignature } from '../signed-form.ts';
import { sites } from './index.ts';
import { type ReadHeader, readJws, type SignatureScheme } from './scheme.ts';
import type { Site } from './site.ts';

/** A rejected delivery: its headers, and its body if that was read. */
export interface RejectedDelivery {
  readonly readHeader: ReadHeader;
  /** Null if it was not read. */
  readonly body: string | null;
  /** When it arrived (ms since the epoch). */
  readonly now: number;
}

/**
 * The site that a delivery is likely from, if that is another one than its listing is on: by a header of its scheme, or
 * else by the shape of its body. Null if none or several fit. For hints alone, because nothing proves it.
 */
export function recogniseSite({ readHeader, body, now }: RejectedDelivery, expected: Site): Site | null {
  const others = sites.filter(({ id }) => id !== expected.id);
  const byHeader = others.filter((site) => hasSignature(site, readHeader));
  if (byHeader.length > 0) return hasSignature(expected, readHeader) ? null : onlyOne(byHeader);
  if (body === null) return null;
  const ofExpected = fitOf(expected, body, now);
  const fits = others.map((site) => ({ site, fit: fitOf(site, body, now) }));
  const best = Math.max(...fits.map(({ fit }) => fit));
  return best > ofExpected ? onlyOne(fits.filter(({ fit }) => fit === best).map(({ site }) => site)) : null;
}

/** Hint for deliveries of a site that arrive at the address of a listing on another one. */
export function explainSite({ id, name }: Site): string {
  return `This looks like a delivery of ${name}: link the listing with /setup as one on that site, or set its "site" to "${id}".`;
}

function onlyOne(found: readonly Site[]): Site | null {
  const [site = null] = found;
  return found.length === 1 ? site : null;
}

function hasSignature({ schemes, ownHeaders = [] }: Site, readHeader: ReadHeader): boolean {
  if (ownHeaders.some((header) => readHeader(header) !== undefined)) return true;
  return schemes.some((scheme) => {
    const value = scheme.type === 'signature' ? readHeader(scheme.header) : undefined;
    return scheme.type === 'signature' && value !== undefined && isInForm(scheme, value);
  });
}

function isInForm({ value: form, prefix, encoding }: SignatureScheme, value: string): boolean {
  if (form !== 'plain') return form === 'timed' || value.startsWith('v1');
  const digest = value.slice(prefix.length);
  return value.startsWith(prefix) && (encoding === 'base64' ? digest !== '' : isSignature(digest));
}

/** How many fields of a delivery of the site a body has, if it has all of them; 0 if the site does not send such a vote. */
function fitOf(site: Site, body: string, now: number): number {
  const isJws = site.schemes.some(({ type }) => type === 'jws');
  const json = parseJson(isJws ? contentOfJws(body) : body);
  if (!isObject(json) || !isVote(site, json, now)) return 0;
  const written = site.kinds.map((kind) => Object.keys(site.write({ ...sampleVote, kind })));
  const fits = [...written, ...(site.olderForms ?? [])].filter((names) => names.every((name) => name in json));
  return Math.max(0, ...fits.map(({ length }) => length));
}

function isVote(site: Site, json: Parameters<Site['read']>[0], now: number): boolean {
  try {
    const reading = site.read(json, { now, scheme: null });
    return (reading.type === 'vote' || reading.type === 'test') && Boolean(reading.userId);
  } catch {
    return false;
  }
}

function contentOfJws(body: string): string {
  const signed = readJws(body);
  return 'error' in signed ? '' : (signed.content ?? '');
}

const sampleVote = { targetId: '1', userId: '1', at: 0, id: '1', isTest: false };
