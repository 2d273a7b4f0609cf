import { describeOnOwnPostgres } from '@tallyhook/platform/testing/databases';
import { expect, it } from 'vitest';
import { startUnderLoad } from './program-under-load.ts';

describeOnOwnPostgres('the program on PostgreSQL', (server) => {
  it('survives a restart of the server under load: responds with 503, loses nothing and recovers', async () => {
    const { waitForCommits, waitForRejections, storeIsReady, verifyLedger } = await startUnderLoad(
      server().newDatabase(),
    );
    await waitForCommits();
    server().shutDown();
    for (const response of await waitForRejections()) expect(response).toMatchObject({ status: 503, retryAfter: 5 });
    expect(await storeIsReady()).toBe(false);
    server().start();
    await waitForCommits();
    expect(await storeIsReady()).toBe(true);
    await verifyLedger();
  });
});
