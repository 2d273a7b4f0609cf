import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { type RawBuilder, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { castVote } from '../src/actions/cast-vote.ts';
import { configureWebhook, rotateWebhookSecret } from '../src/actions/configure-webhook.ts';
import { transitionOrder } from '../src/actions/orders.ts';
import { createServiceAdmin, type ServiceAdmin } from '../src/admin.ts';
import { voteCooldownMs } from '../src/listing/cooldown.ts';
import { createServiceCounters } from '../src/monitoring/service-counters.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { DeliveryQueue } from '../src/storage/deliveries/claim-deliveries.ts';
import { type LeasedDelivery, requeueDelivery } from '../src/storage/deliveries/deliveries.ts';
import { releaseDelivery, settleFailure, settleSuccess } from '../src/storage/deliveries/settle-delivery.ts';
import { findWebhook, type Webhook } from '../src/storage/deliveries/webhooks.ts';
import { deleteListingRows, startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import { searchListings } from '../src/storage/listings/search.ts';
import { deleteMemberData } from '../src/storage/members/member-data.ts';
import { upsertMember } from '../src/storage/members/members.ts';
import { issueSignInToken, redeemSignInToken } from '../src/storage/members/sign-in-links.ts';
import { storedSetting } from '../src/storage/settings.ts';
import { countVotes, countVotesOfMonth } from '../src/storage/votes.ts';
import { describeOnBothDatabases, describeOnNewPostgres } from '../testing/databases.ts';
import { leapingClock } from '../testing/leaping-clock.ts';

const voter = (number: number) => ({ userId: String(number), username: `member ${number}` });
const targets = { allowLoopback: true, resolve: async () => [] };
const url = 'http://127.0.0.1:65533/hooks';

const contextOf = (database: Database, clock: Clock) => {
  return { database, clock, targets, retry: () => null, counters: createServiceCounters() };
};

/* Two processes do the same thing at the same moment, on connections of their own. */
describeOnBothDatabases('two connections', (newDatabase) => {
  async function opened() {
    const address = newDatabase();
    const databases = [await openDatabase(address), await openDatabase(address)] as const;
    onTestFinished(() => Promise.all(databases.map((database) => database.destroy())).then(() => {}));
    const clock = leapingClock();
    const admins = databases.map((database) => createServiceAdmin(contextOf(database, clock), () => {})) as [
      ServiceAdmin,
      ServiceAdmin,
    ];
    const { listing } = await admins[0].createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    return { databases, admins, clock, listing, now: clock.now() };
  }

  const atOnce = <Result>(
    databases: readonly Database[],
    count: number,
    act: (database: Database, turn: number) => Promise<Result>,
  ) => Promise.all(Array.from({ length: count }, (_, turn) => act(databases[turn % 2] as Database, turn)));

  async function withDeliveries(count: number) {
    const all = await opened();
    const [one] = all.databases;
    await configureWebhook(one, { listingId: '1', family: 'vote', url, secret: 'a secret of 16 b' }, targets);
    await atOnce(all.databases, count, (database, turn) =>
      castVote(database, all.listing, { voter: voter(turn) }, all.now),
    );
    return all;
  }

  async function claim(database: Database, now: number, leaseMs: number, limit = 100): Promise<LeasedDelivery[]> {
    const wanted = { now, leaseUntil: now + leaseMs, limit, maxPerWebhook: 100, capacities: {} };
    const { deliveries } = await new DeliveryQueue(database, leapingClock()).claim(wanted);
    return deliveries.map(({ webhook: _webhook, ...delivery }) => delivery);
  }

  const failed = {
    at: 1,
    durationMs: 1,
    url,
    signedWith: 'current',
    status: 500,
    error: 'no',
    responseBody: '',
  } as const;

  async function stateOf(database: Database, id: string) {
    const { state, attempts, lease_id } = await database
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { state, attempts, isLeased: lease_id !== null };
  }

  it('record one of many votes of a member, and every vote of different members with one delivery', async () => {
    const { databases, listing, now } = await withDeliveries(50);
    const outcomes = await atOnce(databases, 20, (database, turn) =>
      castVote(database, listing, { voter: { userId: '777', username: `name ${turn}` } }, now),
    );
    expect(outcomes.filter(({ recorded }) => recorded)).toHaveLength(1);
    expect(new Set(outcomes.map(({ nextVoteAt }) => nextVoteAt))).toEqual(new Set([now + voteCooldownMs]));
    expect(await countVotes(databases[1], '1', now)).toEqual({ total: 51, month: 51 });
    expect(await countVotesOfMonth(databases[1], '1', now)).toBe(51);
    const search = { text: '', tag: '', kind: null, category: null, order: 'votes', limit: 10, offset: 0 } as const;
    const found = await searchListings(databases[1], search, now);
    expect(found.map(({ listing: { id }, monthlyVotes }) => ({ id, monthlyVotes }))).toEqual([
      { id: '1', monthlyVotes: 51 },
    ]);
    const { rows } = await databases[0].executeQuery<{ id: string; body: string }>(
      databases[0].selectFrom('deliveries').selectAll().compile(),
    );
    const voters = rows.map(({ body }) => (JSON.parse(body) as { userId: string }).userId);
    expect(voters.toSorted()).toEqual([...Array.from({ length: 50 }, (_, turn) => String(turn)), '777'].toSorted());
    const again = await castVote(databases[1], listing, { voter: voter(777) }, now + voteCooldownMs);
    expect(again.recorded).toBe(true);
  });

  it('record one of two votes of a member whose data is deleted meanwhile', async () => {
    const { databases, listing, now } = await opened();
    const [one, other] = databases;
    for (let round = 1; round <= 5; round += 1) {
      const member = voter(round);
      await upsertMember(one, member);
      // Both votes wait for the end of the deletion. On PostgreSQL, there is no row then that they could have locked.
      const votes = await one.transaction().execute(async (sql) => {
        await sql.deleteFrom('members').where('user_id', '=', member.userId).execute();
        const waiting = databases.map((database) => castVote(database, listing, { voter: member }, now));
        await wait(50);
        return waiting;
      });
      const outcomes = await Promise.all(votes);
      expect(outcomes.filter(({ recorded }) => recorded)).toHaveLength(1);
      await deleteMemberData(other, member.userId, now);
      expect((await castVote(other, listing, { voter: member }, now + hour)).recorded).toBe(false);
    }
    expect(await countVotes(one, '1', now)).toEqual({ total: 5, month: 5 });
  });

  it('claim each delivery once, and again when its lease has ended', async () => {
    const { databases, now } = await withDeliveries(40);
    const rounds = await atOnce(databases, 8, (database) => claim(database, now, 1_000, 10));
    const ids = rounds.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claim(databases[0], now, 1_000);
    expect(ids.length + rest.length).toBe(40);
    expect(await claim(databases[1], now + 999, 1_000)).toEqual([]);
    expect(await claim(databases[1], now + 1_000, 1_000)).toHaveLength(40);
  });

  it('claim the deliveries of another webhook behind many of one that has enough', async () => {
    const { databases, admins, now } = await withDeliveries(300);
    const [one] = databases;
    const { listing } = await admins[0].createListing({ kind: 'bot', discordId: '2', name: 'Bot 2' });
    await configureWebhook(one, { listingId: '2', family: 'vote', url, secret: 'a secret of 16 b' }, targets);
    for (const number of [1, 2, 3]) await castVote(one, listing, { voter: voter(number) }, now + 1);
    const queue = new DeliveryQueue(one, leapingClock());
    const wanted = { now: now + 1, leaseUntil: now + 1_000, limit: 10, maxPerWebhook: 2, capacities: { '1 vote': 0 } };
    const found = await queue.claim(wanted);
    expect(found.deliveries.map(({ webhook }) => webhook.listingId)).toEqual(['2', '2']);
  });

  it('a process whose lease has ended changes nothing that another process sends meanwhile', async () => {
    const { databases, now } = await withDeliveries(1);
    const [one, other] = databases;
    const webhook = (await findWebhook(one, '1', 'vote')) as Webhook;
    const [late] = (await claim(one, now, 1_000)) as [LeasedDelivery];
    const [current] = (await claim(other, now + 1_000, 1_000)) as [LeasedDelivery];
    const next = { state: 'waiting', attempts: 1, nextAttemptAt: now } as const;
    await settleFailure(one, { delivery: { ...late, webhook }, attempts: [failed], next }, null);
    await releaseDelivery(one, late);
    expect(await stateOf(one, late.id)).toEqual({ state: 'waiting', attempts: 0, isLeased: true });
    expect(await claim(one, now + 1_000, 1_000)).toEqual([]);
    const success = { ...failed, status: 200, error: null };
    await settleSuccess(other, {
      delivery: { ...current, webhook },
      attempts: [success],
      next: { ...next, state: 'delivered' },
    });
    expect(await stateOf(one, late.id)).toEqual({ state: 'delivered', attempts: 1, isLeased: false });
    const history = await one.selectFrom('attempts').select('status').orderBy('id').execute();
    expect(history.map(({ status }) => status)).toEqual([500, 200]);
  });

  it('a delivery that is resent while it is sent again is sent once more', async () => {
    const { databases, now } = await withDeliveries(1);
    const [one, other] = databases;
    const webhook = (await findWebhook(one, '1', 'vote')) as Webhook;
    const [first] = (await claim(one, now, 1_000)) as [LeasedDelivery];
    const next = { state: 'waiting', attempts: 1, nextAttemptAt: now } as const;
    await settleFailure(one, { delivery: { ...first, webhook }, attempts: [failed], next }, null);
    const [second] = (await claim(one, now, 1_000)) as [LeasedDelivery];
    expect(await requeueDelivery(other, '1', second.id, now)).toBe(true);
    const delivered = { ...next, state: 'delivered' } as const;
    await settleSuccess(one, { delivery: { ...second, webhook }, attempts: [], next: delivered });
    expect(await stateOf(one, second.id)).toEqual({ state: 'waiting', attempts: 0, isLeased: false });
    expect(await claim(other, now, 1_000)).toHaveLength(1);
  });

  it('configure a new webhook with the secret that both get, and rotate it without losing the one before', async () => {
    const { databases, now } = await opened();
    const secrets = await atOnce(databases, 6, (database) =>
      configureWebhook(database, { listingId: '1', family: 'vote', url }, targets),
    );
    expect(new Set(secrets).size).toBe(1);
    const rotated = await atOnce(databases, 2, (database) => rotateWebhookSecret(database, '1', 'vote', now));
    const webhook = await findWebhook(databases[0], '1', 'vote');
    expect(new Set([webhook?.secret, webhook?.previous?.secret])).toEqual(new Set(rotated));
  });

  it('count the failures of a webhook, and pause it once', async () => {
    const { databases, now } = await withDeliveries(20);
    const webhook = (await findWebhook(databases[0], '1', 'vote')) as Webhook;
    const deliveries = await claim(databases[0], now, 1_000);
    const counts: number[] = [];
    await atOnce(databases, 20, (database, turn) =>
      settleFailure(
        database,
        {
          delivery: { ...(deliveries[turn] as LeasedDelivery), webhook },
          attempts: [failed],
          next: { state: 'waiting', attempts: 1, nextAttemptAt: now + turn },
        },
        {
          now,
          pauseReason(current) {
            counts.push(current.failures);
            return current.failures >= 10 ? 'failures' : null;
          },
        },
      ),
    );
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await findWebhook(databases[1], '1', 'vote')).toMatchObject({
      failures: 20,
      paused: { reason: 'failures' },
    });
  });

  it('renew an order once, use a sign-in link once, create a setting once and a listing once', async () => {
    const { databases, admins, listing, now } = await opened();
    const { purchase } = await admins[0].purchase({ listingId: '1', buyer: voter(1) });
    const renewals = await Promise.allSettled(
      [0, 1, 2, 3].map((turn) =>
        transitionOrder(databases[turn % 2] as Database, listing, purchase.orderId, 'subscription.renewed', now + hour),
      ),
    );
    const ends = renewals.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.purchase.currentPeriodEnd] : [],
    );
    expect(new Set(ends).size).toBe(ends.length);
    const token = await issueSignInToken(databases[0], voter(1), now);
    const members = await atOnce(databases, 6, (database) => redeemSignInToken(database, token, now));
    expect(members.filter((member) => member !== null)).toEqual([voter(1)]);
    const values = await atOnce(databases, 6, (database, turn) => storedSetting(database, 'one', () => String(turn)));
    expect(new Set(values).size).toBe(1);
    const created = await Promise.allSettled(
      admins.map((admin) => admin.createListing({ kind: 'bot', discordId: '2', name: 'Bot' })),
    );
    expect(created.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('delete a listing together while members vote for it', async () => {
    const { databases, listing, now } = await withDeliveries(20);
    let isOver = false;
    const failures: unknown[] = [];
    const voting = atOnce(databases, 8, async (database, turn) => {
      for (let next = 1_000 * (turn + 1); !isOver || failures.length === 0; next += 1) {
        await castVote(database, listing, { voter: voter(next) }, now).catch((error) => failures.push(error));
        await wait(0);
      }
    });
    try {
      await startListingDeletion(databases[0], '1', now);
      for (let run = 0; run < 3; run += 1) await atOnce(databases, 2, deleteListingRows);
    } finally {
      isOver = true;
    }
    await voting;
    expect(failures.length).toBeGreaterThan(0);
    expect(failures).toEqual(failures.map(() => expect.objectContaining({ code: 'unknown_listing' })));
    await deleteListingRows(databases[0]);
    for (const table of ['votes', 'vote_counts', 'deliveries', 'keys'] as const)
      expect(await databases[1].selectFrom(table).select('listing_id').execute(), table).toEqual([]);
    expect(await databases[1].selectFrom('listings').select('id').execute()).toEqual([]);
  });
});

describeOnNewPostgres('two connections', (newDatabase) => {
  it('record one of two votes of a member who is deleted while the first vote waits for another member', async () => {
    const address = newDatabase();
    const opened = async () => {
      const database = await openDatabase(address);
      onTestFinished(() => database.destroy());
      return database;
    };
    const [one, other, third] = [await opened(), await opened(), await opened()];
    const admin = createServiceAdmin(contextOf(one, leapingClock()), () => {});
    const { listing } = await admin.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    const [first, deleted] = [voter(1), voter(2)];
    for (const member of [first, deleted]) await upsertMember(one, member);

    /** Runs a statement in a transaction, and returns a function that ends it. */
    async function hold(statement: RawBuilder<unknown>): Promise<() => void> {
      const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      void third.transaction().execute(async (transaction) => {
        await statement.execute(transaction);
        started.resolve();
        await ended.promise;
      });
      await started.promise;
      return ended.resolve;
    }
    const untilWaiting = (count: number) =>
      eventually(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_locks where not granted`.execute(third);
        expect(rows).toEqual([{ count }]);
      });

    const releaseMember = await hold(sql`select from members where user_id = ${first.userId} for update`);
    const votes = [first, deleted].map((member) => castVote(one, listing, { voter: member }, 1));
    await untilWaiting(1);
    await deleteMemberData(third, deleted.userId, 1);
    const releaseCounts = await hold(sql`lock table vote_counts in share mode`);
    releaseMember();
    await untilWaiting(1);
    votes.push(castVote(other, listing, { voter: deleted }, 2));
    await untilWaiting(2);
    releaseCounts();
    expect((await Promise.all(votes)).map(({ recorded }) => recorded)).toEqual([true, true, false]);
    expect(await countVotes(one, '1', 1)).toMatchObject({ total: 2 });
  });
});
