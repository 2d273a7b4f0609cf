import type { ListingConfig } from '../../../config/schema.ts';
import { type Finding, pass, warn } from '../../platform/doctor/check.ts';
import { type Site, trustOf } from '../../webhook/sites/site.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';

const tokenHint =
  'Use a long random secret that is used nowhere else, and replace it if anybody may have seen a request.';
const captureHint = 'Remove the listing when you have seen what the site sends.';

/** How strong the schemes of the listings on other sites are; nothing without any. */
export function evaluateSites(listings: readonly Pick<ListingConfig, 'name' | 'site'>[]): Finding[] {
  return listings.flatMap(({ name, site }) => (site === undefined ? [] : evaluateSite(name, findSite(site))));
}

function evaluateSite(listing: string, site: Site): Finding {
  switch (trustOf(site)) {
    case 'signed':
      return pass(`Votes of ${listing} on ${site.name} are signed.`);
    case 'token': {
      const problem = 'carry a token: whoever sees one request can forge votes.';
      return warn(`Votes of ${listing} on ${site.name} ${problem}`, tokenHint);
    }
    case 'none':
      return warn(`${listing} stores whatever is sent to its address, and pays nothing.`, captureHint);
  }
}
