import { second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { onTestFinished } from 'vitest';
import { memoryBudgetStore } from '../../src/lookup/budget.ts';
import { memoryKeyv } from '../../src/lookup/memory-keyv.ts';
import type { SiteListing } from '../../src/lookup/sites/site-apis.ts';
import { createSiteClient, type SiteClient, type SiteClientOptions } from '../../src/lookup/sites/site-client.ts';
import { startFakeService } from './fake-service.ts';

export const member = '80351110224678912';
export const botId = '716390085896962058';
export const siteKey = 'key-of+the/site==';

/** A client of a site that is played by a server on this machine, as of several processes. */
export async function siteFixture(listing: Partial<SiteListing> & { readonly site: string }) {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  const clock = manualClock();
  const logged: string[] = [];
  const options: SiteClientOptions = {
    cache: memoryKeyv(),
    budget: memoryBudgetStore(),
    clock,
    log: createLog({ level: 'trace', secrets: [], destination: { write: (line) => void logged.push(line) } }),
    timeoutMs: 5 * second,
    apiUrl: `${service.origin}/ignored?ignored`,
    observe: () => {},
  };
  /** The client of another process. */
  const restart = (changed: Partial<SiteClientOptions> = {}) =>
    required({ kind: 'bot', id: botId, key: siteKey, ...listing }, { ...options, ...changed });
  return { service, clock, logged, options, restart, client: restart() };
}

function required(listing: SiteListing, options: SiteClientOptions): SiteClient {
  const client = createSiteClient(listing, options);
  if (client === null) throw new Error('The site has no API for this listing.');
  return client;
}
