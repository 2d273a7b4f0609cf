import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether another site sent this request. Browsers say where one comes from (`Sec-Fetch-Site`, and before it `Origin`); what says
 * nothing is no browser, and then the form's token decides alone.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
