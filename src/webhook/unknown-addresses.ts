import type { IncomingMessage, ServerResponse } from 'node:http';
import { closest } from '@tallyhook/platform/did-you-mean';
import type { LogThrottled } from '@tallyhook/platform/throttled-log';
import { pathnameOf, sharedPaths } from './delivery-path.ts';

/**
 * Reports POSTs to addresses that do not exist: what an owner has entered at a site may be wrong, and nobody else would see
 * the votes that are lost.
 */
export function createUnknownAddresses(options: {
  /** Of all listings, for hints. */
  readonly listingNames: () => readonly string[];
  /** Called for each, for metrics. */
  readonly observe: () => void;
  readonly logThrottled: LogThrottled;
}) {
  const { listingNames, observe, logThrottled } = options;

  function report(pathname: string): void {
    observe();
    logThrottled('warn', 'unknown address', 'a POST to an address that does not exist was answered with 404', () => ({
      path: showPath(pathname),
      hint: describeAddresses(listingNames(), pathname),
    }));
  }

  return {
    report,
    /** Others may handle a request that is none of ours: it leads nowhere if they answer with 404. */
    watch({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
      const pathname = pathnameOf(url);
      if (method !== 'POST' || !isBelowRoot(pathname)) return;
      response.once('finish', () => {
        if (response.statusCode === 404) report(pathname);
      });
    },
  };
}

/** Whether a path is meant as an address of deliveries: it is below `/webhooks`, or `/webhook` in its place. */
function isBelowRoot(pathname: string): boolean {
  return /^\/webhooks?(?:\/|$)/i.test(pathname);
}

/** Characters of the name of a listing. */
const maxNameLength = 32;
/** Names of listings that a hint has at most. */
const maxNames = 10;

/** The addresses there are, for the operator, who may have entered another one at a site. */
function describeAddresses(listings: readonly string[], pathname: string): string {
  const shared = [...sharedPaths.keys()].join(', ');
  if (listings.length === 0) return `The addresses are ${shared}.`;
  const names = listings.slice(0, maxNames).join(', ') + (listings.length > maxNames ? ', …' : '');
  const meant = closest((pathname.split('/')[2] ?? '').slice(0, maxNameLength), listings);
  const suggestion = meant === undefined ? '' : ` Did you mean /webhooks/${meant}?`;
  return `The addresses are ${shared}, and /webhooks/NAME with the name of a listing: ${names}.${suggestion}`;
}

/** A path for the log: without what may be a secret, or no part of an address. */
function showPath(pathname: string): string {
  const segments = pathname.split('/', 6).map((segment) => (/^[\w.-]{0,32}$/.test(segment) ? segment : '…'));
  return segments.join('/');
}
