import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { running, serverId } from '../testing/running.ts';
import { runInOtherProcess } from './another-process.ts';

/** Repeatedly renews an order and votes; prints the errors. */
function renewAndVote(buyer: string): string {
  return `
    const failures = [];
    const { purchase } = await service.purchase({ listingId: '${serverId}', buyer: { userId: '${buyer}', username: 'b' } });
    for (let round = 0; round < 150; round += 1) {
      const voter = { userId: '${buyer}' + round, username: 'v' };
      await service.transitionOrder('${serverId}', purchase.orderId, 'subscription.renewed').catch((error) => failures.push(error.message));
      await service.castVote({ kind: 'server', ...voter }).catch((error) => failures.push(error.message));
    }
    console.log(JSON.stringify(failures));
    await service.stop();`;
}

test('two processes renew and vote concurrently on one database without errors', async () => {
  const { database, service } = await running();
  await service.setWebhook(serverId, { premiumUrl: 'http://127.0.0.1:65533/', voteUrl: 'http://127.0.0.1:65533/' });
  const results = await Promise.all(['71', '72'].map((buyer) => runInOtherProcess(database, renewAndVote(buyer))));
  expect(results).toEqual([
    { ended: 0, output: '[]\n' },
    { ended: 0, output: '[]\n' },
  ]);
});

test('processes that start concurrently on a new database migrate and seed it once', async () => {
  const { database, service } = await running({ seed: false });
  await service.stop();
  for (const suffix of ['', '-wal', '-shm']) rmSync(database.slice('sqlite:'.length) + suffix, { force: true });
  const results = await Promise.all(
    Array.from({ length: 3 }, () =>
      runInOtherProcess(database, 'console.log(service.seeded.keys !== null); await service.stop();'),
    ),
  );
  expect(results.map(({ ended: results }) => results)).toEqual([0, 0, 0]);
  expect(results.filter(({ output }) => output === 'true\n')).toHaveLength(1);
});
