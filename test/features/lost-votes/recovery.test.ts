import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import type { CommunityListing } from '../../../src/features/communities/listings.ts';
import { guardsRule } from '../../../src/features/guards/rules.ts';
import { LostVotes } from '../../../src/features/lost-votes/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { claimDue } from '../../support/claim-due.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { json } from '../../support/fake-service.ts';
import { guardsOver } from '../../support/guards.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue } from '../../support/queues.ts';
import { botId, member, siteFixture } from '../../support/site-fixture.ts';

const channelId = '700000000000000001';
const log = createLog({ level: 'silent', secrets: [] });

/** A listing on a site whose history is played, and its ledger. */
async function start(
  site: 'topgg' | 'discordbotlist',
  rewards: { readonly weight?: true } = {},
  { isNew = false, ...more }: { readonly isNew?: boolean; readonly guildId?: string; readonly guards?: object } = {},
) {
  const fixture = await siteFixture({ site });
  const { service, clock, client } = fixture;
  const store = await openStore(newSqliteUrl(), { ...clock, sleep: systemClock.sleep }, { thread: false });
  onTestFinished(() => store.close());
  const file = { name: 'lamp', kind: 'bot', id: botId, site, voteSecrets: ['whs_secret-of-the-lamp'] };
  const { listings } = loadConfig(environmentWith([{ ...file, announceChannelId: channelId, rewards, ...more }]));
  const directory = createDirectory(listings, communityIdsOf(listings));
  const [listing] = directory.listings;
  if (listing === undefined) throw new Error('no listing');
  if (!isNew) await store.lostVotes.begin('lamp', `${site} bot ${botId}`, clock.now() - 2 * day);
  const nudged: string[] = [];
  let pauses = 0;
  const sleep: typeof clock.sleep = (ms, signal) => {
    pauses += 1;
    return clock.sleep(ms, signal);
  };
  const create = () => {
    const created = new LostVotes({
      ...{ directory, store, lookups: { findSite: () => client } },
      ...{ claimRecorder: store.recorder, nudge: (queues) => void nudged.push(...queues), leases: null },
      guards: guardsOver(store, directory.listings, clock),
      ...{ clock: { ...clock, sleep }, stopwatch: systemClock, log },
    });
    onTestFinished(() => created.stop());
    return created;
  };
  let lostVotes = create();
  const list = (...times: readonly number[]) => {
    const iso = (at: number) => new Date(at).toISOString();
    const data = times.map((at) => ({
      ...{ platform_id: member, weight: 2, created_at: iso(at), expires_at: iso(at + 12 * hour) },
    }));
    const upvotes = times.map((at) => ({ user_id: member, timestamp: iso(at) }));
    service.respondWith((response, request) => {
      const isNext = request.url?.includes('cursor=');
      json(200, { data: isNext ? [] : data, cursor: 'next', upvotes, total: upvotes.length })(response, request);
    });
  };
  const deliver = (at: number | null, receivedAt = at ?? clock.now()) => {
    const vote: Vote = {
      ...{ family: 'vote', kind: 'bot_vote', target: { kind: 'bot', id: botId }, userId: member, at },
      ...{ creditsAwarded: null, denial: null, atSite: { id: null, weight: 1, nextVoteAt: null } },
    };
    const delivery = { receivedAt, family: 'vote', body: '{}' } as const;
    return store.recorder.record(delivery, { type: 'event', event: vote, listing });
  };
  /** Starts it, or advances to the next look, and waits for its end. */
  const look = async () => {
    const before = pauses;
    lostVotes.start();
    if (before > 0) await clock.advance(hour);
    // One of the loop that looks, and one of the loop that notes the beginnings.
    await eventually(() => expect(pauses).toBe(before + 2));
  };
  const configure = async (listings: readonly CommunityListing[]) => {
    const before = pauses;
    directory.replace(new Map([[listing.guildId, listings]]));
    await eventually(() => expect(pauses).toBe(before + 1));
  };
  return {
    ...fixture,
    ...{ store, nudged, list, deliver, look },
    unlink: () => configure([]),
    relink: () => configure([listing]),
    unguard: () => configure([{ ...listing, rewards: { ...listing.rewards, ...guardsRule.as(null) } }]),
    async restart() {
      await lostVotes.stop();
      lostVotes = create();
      pauses = 0;
    },
    account: () => store.ledgerIn(firstCommunity).account(member),
  };
}

describe.each(['topgg', 'discordbotlist'] as const)('a vote in the history of %s', (site) => {
  it('that was not delivered is paid once, and its late delivery pays nothing', async () => {
    const { clock, list, deliver, look, account } = await start(site);
    const votedAt = clock.now() - 3 * hour;
    list(votedAt);
    await look();
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
    await look();
    await look();
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
    expect(await deliver(site === 'topgg' ? votedAt : null)).toMatchObject({ credits: 0 });
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('of a blocked user is not paid', async () => {
    const { clock, list, look, account } = await start(site, {}, { guards: { blocked: [member] } });
    list(clock.now() - 3 * hour);
    await look();
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
  });

  it('is looked for again while Discord does not say who is a member', async () => {
    const ofGuild = { guildId: '613425648685547541', guards: { membersOnly: true } };
    const { clock, list, look, unguard, account } = await start(site, {}, ofGuild);
    list(clock.now() - 3 * hour);
    await look();
    await look();
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
    await unguard();
    await look();
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('that was delivered is not paid again', async () => {
    const { clock, list, deliver, look, account } = await start(site);
    const votedAt = clock.now() - hour;
    await deliver(site === 'topgg' ? votedAt : null, votedAt + 2_000);
    list(votedAt);
    await look();
    await look();
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('from before the listing was configured here is never recorded, also after a restart', async () => {
    const { clock, list, look, restart, account } = await start(site, {}, { isNew: true });
    const configuredAt = clock.now();
    const before = [configuredAt - 6 * hour, configuredAt - minute];
    list(...before);
    await look();
    await restart();
    await look();
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
    await clock.advance(3 * hour);
    list(...before, configuredAt + hour);
    await restart();
    await look();
    expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  });

  it('from while the listing was unlinked is not recorded', async () => {
    const { clock, list, look, unlink, relink, restart, account } = await start(site);
    list();
    await look();
    await unlink();
    const votedAt = clock.now() + hour;
    await clock.advance(2 * hour);
    await relink();
    list(votedAt);
    await look();
    await restart();
    await look();
    expect(await account()).toMatchObject({ credits: 0, votes: 0 });
  });

  it('is left to its delivery while that may be under way', async () => {
    const { clock, list, look, account } = await start(site);
    list(clock.now() - minute);
    await look();
    expect(await account()).toMatchObject({ credits: 0 });
    await look();
    expect(await account()).toMatchObject({ credits: 10 });
  });
});

it('that was not delivered is paid by its weight and announced at once, like a late delivery', async () => {
  const { store, clock, nudged, list, look, account } = await start('topgg', { weight: true });
  const votedAt = clock.now() - 3 * hour;
  list(votedAt);
  await look();
  expect(await account()).toMatchObject({ credits: 20, votes: 1 });
  expect(nudged).toEqual([channelQueue(channelId)]);
  const [effect] = await claimDue(store.outbox, clock.now(), clock.now() + minute, 1);
  const content = { userId: member, credits: 20, at: votedAt, nextVoteAt: votedAt + 12 * hour };
  expect(effect).toMatchObject({ kind: 'announcement', queue: channelQueue(channelId), content });
});

it('is looked for again after an error, as far back as before', async () => {
  const { service, clock, list, look, account } = await start('topgg');
  service.respondWith(json(500, {}));
  const first = clock.now();
  await look();
  list(first - 20 * hour);
  await look();
  expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  expect(service.requests[1]?.url).toContain(new Date(first + hour - day - hour).toISOString());
  await look();
  expect(service.requests.map(({ url }) => url)[3]).toContain(new Date(first + hour - hour).toISOString());
});
