import { systemClock } from '@tallyhook/platform/clock';
import { describeOnBothDatabases } from 'listing-service/testing/databases';
import { running } from 'listing-service/testing/running';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/features/store.ts';

describeOnBothDatabases('the database of the service', (newDatabase) => {
  it('is not that of the bot', async () => {
    const { service, database } = await running({ database: newDatabase() });
    await service.stop();
    await expect(openStore(database, systemClock, { thread: false })).rejects.toMatchObject({
      code: 'foreign_database',
    });
  });
});
