import type { RequestHandler } from 'express';
import { PageFault } from './fault.ts';

/**
 * Refuses forms that another site sent. Browsers say where a request comes from (`Sec-Fetch-Site`, and before it `Origin`);
 * what says nothing is no browser, and then the form's token decides alone.
 */
export const sameOriginOnly: RequestHandler = (request, _response, next) => {
  if (request.method !== 'POST') return next();
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') throw foreign;
  const origin = request.get('origin');
  if (site === undefined && origin !== undefined && hostOf(origin) !== request.get('host')) throw foreign;
  next();
};

const foreign = new PageFault(403, 'This form was not sent from a page of this service.');

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
