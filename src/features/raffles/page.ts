import { isoTime } from '@tallyhook/platform/durations';
import { clientKeyOf, isTrustedProxy } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { maxPlainPages } from '@tallyhook/platform/web/plain-page';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import express, { type Express } from 'express';
import { settlementDelayMs } from '../../core/rewards/calendar.ts';
import type { RaffleStore } from './store.ts';

const path = '/raffles';

/** The public address of the file of a raffle; null without `PUBLIC_URL`. */
export function raffleAddress({ publicUrl }: { readonly publicUrl: string | null }) {
  return ({ raffleId }: { readonly raffleId: string }): string | null =>
    publicUrl === null ? null : `${publicUrl}${path}/${raffleId}.json`;
}

/** `/raffles/<id>.json`: the file of a drawn raffle, for everybody, and for pages of other origins. */
export function createRafflePage({ store }: { readonly store: { readonly raffles: RaffleStore } }): Express {
  const limit = new ClientLimit(maxPlainPages);
  const headers = securityHeaders({
    contentSecurityPolicy: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    referrerPolicy: 'no-referrer',
  });
  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', isTrustedProxy);
  app.get(`${path}/:name`, headers, async (request, response, next) => {
    const [, id] = /^([0-9a-f]{32})\.json$/.exec(String(request.params['name'])) ?? [];
    if (id === undefined) return next();
    response.set('access-control-allow-origin', '*');
    const waitMs = await limit.waitMs(clientKeyOf(request.ip));
    if (waitMs !== null) {
      response.set('retry-after', String(Math.ceil(waitMs / 1_000)));
      response.status(429).json({ success: false, error: 'Too many requests. Try again in a minute.' });
      return;
    }
    const raffle = await store.raffles.published(id);
    if (raffle === null) return next();
    const { state, file, commitment, endsAt } = raffle;
    if (file !== null) {
      // Drawn once, so it never changes.
      response.set('cache-control', 'public, max-age=31536000, immutable').type('application/json').send(file);
      return;
    }
    const drawnAt = isoTime(endsAt + settlementDelayMs);
    const error =
      state === 'cancelled'
        ? 'This raffle was cancelled: there were no raffles any more when it was to be drawn.'
        : `This raffle is drawn at ${drawnAt}. What decides it is published here then.`;
    response.status(404).json({ success: false, error, commitment });
  });
  return app;
}
