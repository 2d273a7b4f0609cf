import { TallyhookError } from '@tallyhook/platform/errors';
import type { explainSender as explainKnownSender, readSiteSecrets as readKnownSite } from './site-sender.ts';

/** In place of `site-sender.ts` in bundles for browsers, whose pages receive no webhooks. @throws TallyhookError `sites_not_bundled` */
export const readSiteSecrets: typeof readKnownSite = () => {
  throw new TallyhookError('sites_not_bundled', 'verify does not know other sites in a browser.', {
    hint: 'A page receives no webhooks. For a worker or server, give the bundler the condition worker or node.',
  });
};

export const explainSender: typeof explainKnownSender = () => '';
