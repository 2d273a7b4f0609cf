import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';

export interface CrossSiteOptions {
  /** The text of the 403. */
  readonly message: string;
  /**
   * Accept `Origin: null` without `Sec-Fetch-Site`: over plain HTTP a browser sends no more than that from pages with
   * the `no-referrer` policy. The form token and a `SameSite=Strict` cookie must then decide.
   */
  readonly allowOpaqueOrigin?: boolean;
}

/** Rejects POST requests from another site with 403. */
export function rejectCrossSiteForms({ message, allowOpaqueOrigin = false }: CrossSiteOptions): RequestHandler {
  return ({ method, headers }, _response, next) => {
    const isOpaque = headers['sec-fetch-site'] === undefined && headers.origin === 'null';
    if (method === 'POST' && !(allowOpaqueOrigin && isOpaque) && isCrossSite(headers)) {
      throw new HttpError(403, message);
    }
    next();
  };
}

/**
 * True if another site sent this request, by `Sec-Fetch-Site` or, in older browsers, `Origin`. A request without both
 * headers is not from a browser; only the form token protects against it.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
