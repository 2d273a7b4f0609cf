import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'tallyhook';
import { expect, it, onTestFinished, vi } from 'vitest';
import { start } from './main.ts';

it('pays votes and gifts once, and calls the functions', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  const environment = { VOTE_SECRET: 'secret', DATABASE: join(directory, 'votes.db'), PORT: '0' };
  const { receiver, url } = await start(environment);
  onTestFinished(() => receiver.stop());

  const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
  const headers = { 'x-webhook-signature': sign(body, 'secret') };
  const deliver = () => fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
  expect((await deliver()).status).toBe(200);
  await expect.poll(() => print.mock.calls.length, { timeout: 3_000 }).toBe(2);
  expect(new Set(print.mock.calls.flat())).toEqual(
    new Set(['42 has a gift: balance 115', '42 voted: +15, balance 15, day 1 of the streak']),
  );
  expect(await (await deliver()).json()).toMatchObject({ outcome: 'duplicate' });
  expect(await receiver.ledger.account('42')).toMatchObject({ credits: 115, votes: 1 });
});
