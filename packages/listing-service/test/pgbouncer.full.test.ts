import { describeOnPgBouncer } from '@tallyhook/platform/testing/databases';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { deleteListingRows, startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import { ask, receiver } from '../testing/running.ts';
import { signInVoters, storedVotes } from './voters.ts';

describeOnPgBouncer('two processes through PgBouncer in transaction mode', 'service', (newDatabase) => {
  test('record votes, send deliveries, share the limit of a key, and delete a listing', async () => {
    const database = newDatabase();
    const { url, received } = await receiver();
    const start = async () => {
      const service = await startService({ database, allowLoopbackTargets: true });
      onTestFinished(() => service.stop());
      return service;
    };
    const services = [await start(), await start()] as const;
    const [one, other] = services;
    const { listing, key } = await one.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    await one.createListing({ kind: 'bot', discordId: '2', name: 'Bot 2' });
    await one.setWebhook(listing.id, { voteUrl: url });

    const voters = await signInVoters(database, one.url, 60);
    const twice = [...voters, ...voters];
    const votes = twice.map((voter, turn) =>
      turn % 3 === 0
        ? voter.vote('/bots/1')
        : other.castVote({ listingId: '1', userId: voter.userId, username: 'again' }).then(() => true),
    );
    expect(await Promise.all(votes)).not.toContain(false);
    const all = voters.map(({ userId }) => userId).toSorted();
    const stored = await storedVotes(database, '1');
    expect([stored.voters, stored.deliveredVoters]).toEqual([all, all]);
    await eventually(() => expect(received).toHaveLength(60));
    expect(received.map(({ headers }) => String(headers['x-webhook-id'])).toSorted()).toEqual(stored.deliveryIds);

    const requests = Array.from({ length: 150 }, (_, turn) =>
      ask(`${services[turn % 2]?.baseUrl}/bot`, { headers: { 'X-API-Key': key } }),
    );
    const statuses = Object.groupBy(await Promise.all(requests), ({ status }) => status);
    expect([statuses[200]?.length, statuses[429]?.length]).toEqual([120, 30]);

    const opened = await openDatabase(database);
    onTestFinished(() => opened.destroy());
    await startListingDeletion(opened, '1', Date.now());
    await eventually(async () => {
      await deleteListingRows(opened);
      expect((await one.listings()).map(({ id }) => id)).toEqual(['2']);
    });
    expect((await ask(`${other.baseUrl}/bot`, { headers: { 'X-API-Key': key } })).status).toBe(401);
    for (const table of ['votes', 'deliveries', 'attempts', 'vote_counts'] as const)
      expect(await opened.selectFrom(table).selectAll().execute(), table).toEqual([]);
  });
});
