import type { Response } from 'express';
import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';
import { minute } from '../durations.ts';
import { type Html, html } from './html.ts';
import { securityHeaders } from './security-headers.ts';

/** Requests per address and minute. */
const maxRequests = 30;
const maxAddresses = 10_000;

/** For pages without resources, forms or scripts, which name their address to nobody. */
export const plainPageHeaders = securityHeaders({
  contentSecurityPolicy: {
    'default-src': ["'none'"],
    'form-action': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
  referrerPolicy: 'no-referrer',
});

/** @param page.locale the language of the page */
export function sendPlainPage(
  response: Response,
  { status, locale, title, body }: { status: number; locale: string; title: string; body: Html },
): void {
  const page = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  response.status(status).type('html').send(page.text);
}

/** Whether a request of an address is within the limit. In memory, of each process. */
export function createAddressLimit(clock: Pick<Clock, 'monotonic'>): (address: string) => boolean {
  const counts = new BoundedMap<{ readonly count: number; readonly endsAt: number }>(maxAddresses);
  return (address) => {
    const now = clock.monotonic();
    const known = counts.get(address);
    const current = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + minute };
    counts.set(address, { ...current, count: current.count + 1 });
    return current.count < maxRequests;
  };
}
