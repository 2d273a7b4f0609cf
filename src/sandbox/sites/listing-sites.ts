import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { openJsonFile, readJsonFile } from '@tallyhook/platform/json-file';
import type { Log } from '@tallyhook/platform/log';
import { z } from 'zod';
import { sites } from '../../webhook/sites/index.ts';
import type { SandboxListings } from '../listing-service.ts';
import type { TimelineLine } from '../page/ports.ts';
import { ImitatedSite, storedSiteSchema } from './imitated-site.ts';
import { createSiteHandler } from './site-handler.ts';

/** A site with signatures that says who has voted, and one with a token that does not; what is listed on each. */
const imitated = { topgg: 'bot', disurl: 'server' } as const;

const stateSchema = z.object({ version: z.literal(1), sites: z.record(z.string(), storedSiteSchema) });

/** Other listing sites that the sandbox imitates. */
export type ListingSites = Awaited<ReturnType<typeof startListingSites>>;

/** Starts the sites, with the votes and webhooks of an earlier run from the file. @throws TallyhookError `cannot_listen` */
export async function startListingSites(options: {
  host: string;
  /** Path of the file with their state. */
  path: string;
  listings: SandboxListings;
  people: readonly { readonly id: string; readonly username: string }[];
  clock: Clock;
  log: Log;
  emit: (line: TimelineLine) => void;
}) {
  const { host, path, listings, people, clock, log, emit } = options;
  const stored = readJsonFile(path, stateSchema, log)?.sites ?? {};
  const all = sites
    .filter((site): site is typeof site & { id: keyof typeof imitated } => Object.hasOwn(imitated, site.id))
    .map(
      (site) =>
        new ImitatedSite({
          site,
          listing: listings[imitated[site.id]],
          stored: stored[site.id],
          clock,
          onChange: () => file.scheduleWrite(),
          onUndelivered(reason) {
            const text = `${site.name} cannot deliver: ${reason}`;
            emit({ kind: 'line', at: clock.now(), source: 'service', tone: 'bad', text });
          },
        }),
    );
  const snapshot = () => ({ version: 1, sites: Object.fromEntries(all.map((each) => [each.site.id, each.stored])) });
  const file = openJsonFile({ path, snapshot, stopwatch: systemClock, log });
  const server = createHttpServer(createSiteHandler(all, { people, clock, log }));
  const { url } = await server.listen(host, 0);
  file.scheduleWrite();
  return {
    /** The value of SITE_API_URL. */
    url,
    all,
    /** The site whose deliveries come to a path of the bot. */
    find: (address: string) =>
      all.find(({ stored: { webhook } }) => webhook !== null && new URL(webhook).pathname === address),
    /** The local page in place of the site's vote page. */
    pageOf: ({ page }: ImitatedSite) => url + new URL(page).pathname,
    async stop() {
      await server.close();
      await file.stop();
    },
  };
}
