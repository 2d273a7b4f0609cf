import { hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { withoutSecrets } from '../../../src/core/receiving/listing.ts';
import { configuredOffer } from '../../../src/features/communities/command-context.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { LookupClients } from '../../../src/features/communities/lookup-clients.ts';
import { openStore } from '../../../src/features/store.ts';
import { memoryKeyv } from '../../../src/lookup/memory-keyv.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const member = '80351110224678912';
const start = Date.UTC(2026, 0, 1);

async function openClients(config: Config, clock = manualClock(start)) {
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const context = { store, communityIds, cache: memoryKeyv(), metrics: createMetrics(), clock };
  const log = createLog({ level: 'silent', secrets: [] });
  return { store, clients: new LookupClients(config, { ...context, log }) };
}

/** The clients of listings on other sites, over a ledger. */
async function startClients() {
  const clock = manualClock(start);
  const common = { kind: 'bot', id: '716390085896962058', voteSecrets: ['whs_secret'] };
  const config = loadConfig(
    environmentWith([
      { ...common, name: 'lamp', site: 'topgg', siteKey: 'key' },
      { ...common, name: 'lamp-keyless', site: 'topgg' },
      { ...common, name: 'lamp-elsewhere', site: 'discords' },
    ]),
  );
  const { clients, store } = await openClients(config, clock);
  const listing = createDirectory(config.listings, communityIdsOf(config.listings)).find('lamp');
  if (listing === undefined) throw new Error('no listing');
  const vote = (at: number, nextVoteAt: number | null) => {
    const event: Vote = {
      ...{ family: 'vote', kind: 'bot_vote', target: { kind: 'bot', id: null }, userId: member, at },
      ...{ creditsAwarded: null, denial: null, atSite: { id: null, weight: 1, nextVoteAt } },
    };
    const routed = { type: 'event', event, listing: withoutSecrets(listing) } as const;
    return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, routed);
  };
  return { clients, clock, vote };
}

it('the ledger says when the next vote is due as the delivery of the last one did', async () => {
  const { clients, clock, vote } = await startClients();
  const statusOf = async () => (await clients.find('lamp')?.lookup.voteStatus(member))?.value;
  await vote(start, start + 4 * hour);
  await clock.advance(hour);
  expect(await statusOf()).toMatchObject({ canVote: false, lastVoteAt: start, nextVoteAt: start + 4 * hour });
  await clock.advance(4 * hour);
  await vote(start + 5 * hour, null);
  expect(await statusOf()).toMatchObject({ canVote: false, nextVoteAt: start + 17 * hour });
});

it('a listing whose site cannot be asked is marked', async () => {
  const { clients } = await startClients();
  const silent = ['lamp', 'lamp-keyless', 'lamp-elsewhere'].map((name) => clients.find(name)?.isSilent);
  expect(silent).toEqual([false, true, true]);
});

it('offers the same listings in the same order as the configuration alone, by which doctor compares the registered commands', async () => {
  const site = { voteSecrets: ['secret'] };
  const service = { lookupKey: 'key', voteSecrets: ['secret'] };
  const config = loadConfig(
    environmentWith([
      { ...site, name: 'a', kind: 'bot', id: '716390085896962058', site: 'topgg' },
      { ...site, name: 'b', kind: 'server', id: '613425648685547541', site: 'disurl' },
      { ...service, name: 'c', kind: 'bot' },
      { ...service, name: 'd', kind: 'server' },
    ]),
  );
  const { clients } = await openClients(config);
  const names = (listed: readonly { readonly name: string }[]) => listed.map(({ name }) => name);
  expect(names(clients.of(config.listings))).toEqual(['d', 'c', 'b', 'a']);
  const offer = await configuredOffer(config, async () => false);
  expect(names(offer.listings)).toEqual(['d', 'c', 'b', 'a']);
  const sites = (listed: readonly { readonly site?: object | undefined }[]) => listed.map(({ site }) => site);
  expect(sites(offer.listings)).toEqual(sites(clients.of(config.listings)));
});
