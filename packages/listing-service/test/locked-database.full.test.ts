import { rmSync } from 'node:fs';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, test } from 'vitest';
import { ask, mira, ownerId, running, serverId } from '../testing/running.ts';
import { lockInOtherProcess } from './another-process.ts';

test('while another process holds the lock, writes get 503, and lookups and pages succeed before that', async () => {
  const { service, get, keys, database, lines } = await running();
  const cookie = await signedIn(service.url);
  const form = await voteForm(service.url, cookie);
  const unlock = await lockInOtherProcess(database);

  // A busy machine may take longer for the reads than the write may wait: then once more.
  await eventually(async () => {
    let isWaiting = true;
    const write = ask(`${service.url}/servers/${serverId}/vote`, { method: 'POST', headers: { cookie }, body: form });
    void write.finally(() => (isWaiting = false));
    const page = await ask(`${service.url}/servers/${serverId}`);
    const lookup = await get('/server', { 'X-API-Key': keys.server });
    const [wasWaiting, { status, headers, text }] = [isWaiting, await write];
    expect([page.status, lookup.status, status]).toEqual([200, 200, 503]);
    expect(headers.get('retry-after')).toBe('5');
    expect(text).toContain('Please try again in a few seconds');
    expect(wasWaiting).toBe(true);
  });
  expect(lines.join('\n')).toContain('another process has locked the database');

  await unlock();
  expect((await service.castVote({ kind: 'server', ...mira })).recorded).toBe(true);
});

test('after the database file was deleted, writes are rejected', async () => {
  const { service, database, lines } = await running();
  expect((await service.castVote({ kind: 'server', ...mira })).recorded).toBe(true);
  rmSync(database.slice('sqlite:'.length));
  await expect(service.castVote({ kind: 'bot', ...mira })).rejects.toMatchObject({ code: 'store_unavailable' });
  await eventually(() => expect(lines.join('\n')).toContain('"code":"database_file_replaced"'));
});

async function signedIn(url: string): Promise<string> {
  const body = new URLSearchParams({ userId: ownerId });
  const { headers } = await ask(`${url}/sign-in`, { method: 'POST', body });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function voteForm(url: string, cookie: string): Promise<URLSearchParams> {
  const { text } = await ask(`${url}/servers/${serverId}`, { headers: { cookie } });
  return new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '' });
}
