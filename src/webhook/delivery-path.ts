import type { Family } from './event.ts';

/** The address of a delivery: of all listings, or of one. */
export interface DeliveryPath {
  /** Null for the shared addresses. */
  readonly listing: string | null;
  /** Null for an address that accepts both families. */
  readonly family: Family | null;
}

/** The addresses of all listings together. */
export const sharedPaths: ReadonlyMap<string, DeliveryPath> = new Map([
  ['/webhooks', { listing: null, family: null }],
  ['/webhooks/vote', { listing: null, family: 'vote' }],
  ['/webhooks/premium', { listing: null, family: 'premium' }],
]);

const root = '/webhooks';

/**
 * The address that a path is, as the router of Express 5 would match it: in any case, with a slash at its end, and with a
 * percent-encoded name of a listing, whose case counts. Null for any other path.
 */
export function readDeliveryPath(pathname: string): DeliveryPath | null {
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  const shared = sharedPaths.get(path.toLowerCase());
  if (shared !== undefined) return shared;
  const [before, first = '', name = '', last, ...others] = path.split('/', 5);
  const listing = decodeSegment(name);
  if (before !== '' || `/${first.toLowerCase()}` !== root || listing === '' || others.length > 0) return null;
  const family = last?.toLowerCase() ?? null;
  return family === null || family === 'vote' || family === 'premium' ? { listing, family } : null;
}

/** Empty if it cannot be decoded. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** The path without each of the prefixes under which the addresses may be mounted; the shortest prefix first. */
export function* pathsWithoutPrefix(pathname: string): Generator<string> {
  const path = pathname.toLowerCase();
  for (let start = path.indexOf(root); start !== -1; start = path.indexOf(root, start + 1)) yield pathname.slice(start);
}

/** The path of a request target, which is an address with an origin if a proxy asks for it. */
export function pathnameOf(target: string): string {
  if (!target.startsWith('/')) return URL.parse(target)?.pathname ?? '';
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The path with a parameter instead of the name of a listing. */
export function routeOf({ listing, family }: DeliveryPath): string {
  return `${root}${listing === null ? '' : '/:listing'}${family === null ? '' : `/${family}`}`;
}
