import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { openStore } from '../../src/features/store.ts';
import { sign } from '../../src/webhook/signature.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { setupOver } from '../support/setup-over.ts';

const log = createLog({ level: 'silent', secrets: [] });

it('asks for deliveries of a listing again while its secrets cannot be decrypted', async () => {
  const databaseUrl = newSqliteUrl();
  const environment = { TALLYHOOK_ROLES: 'receive', DATABASE_URL: databaseUrl, CACHE_URL: 'memory:', PORT: '0' };
  const store = await openStore(databaseUrl, systemClock, { thread: false });
  const author = { guildId: '123456789012345678', authorId: '1', interactionId: '2' };
  const none = { targetId: null, lookupKey: null, voteSecret: null };
  const linked = await setupOver(store).link({ ...author, kind: 'server', ...none });
  await store.close();
  if (linked.status !== 'linked') throw new Error('not linked');
  const { listing, secrets } = linked;

  /** The status of a vote for the listing, sent to a process with this key. */
  async function statusWith(key: string): Promise<number> {
    const app = await createApp(loadConfig({ ...environment, SETTINGS_KEY: key }), { clock: systemClock, log });
    onTestFinished(() => app.stop());
    const url = await app.start();
    const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
    const headers = { 'x-webhook-signature': sign(body, secrets.voteSecret ?? '') };
    const response = await fetch(`${url}/webhooks/${listing.name}/vote`, { method: 'POST', body, headers });
    await app.stop();
    return response.status;
  }
  expect(await statusWith('b'.repeat(64))).toBe(503);
  expect(await statusWith('a'.repeat(64))).toBe(200);
});
