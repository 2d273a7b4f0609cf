import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { path, secret, vote } from '../../load/vote.ts';
import { listen } from '../../process/child.ts';
import type { Start } from '../contender.ts';
import { databaseFile } from '../contender.ts';

/**
 * The rows of tallyhook with the least code: a thread that answers and one that commits what waits, copies of the rows that
 * tallyhook itself has written for a vote. No rules, no second read, no outbox that is worked off.
 */
export const start: Start = async ({ directory }) => {
  const database = join(directory, databaseFile);
  await recordTwoVotes(database);
  const writer = new Worker(new URL('./floor-writer.ts', import.meta.url), { workerData: database });
  const responses = new Map<number, ServerResponse>();
  let number = 0;
  let waiting: [number: number, body: string][] = [];
  writer.on('message', (committed: readonly number[]) => {
    for (const each of committed) {
      responses.get(each)?.end('{"received":true}');
      responses.delete(each);
    }
  });
  function send(): void {
    writer.postMessage(waiting);
    waiting = [];
  }
  return listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        if (!isSignedWith(secret, body, String(request.headers['x-webhook-signature']))) {
          response.writeHead(401).end();
          return;
        }
        number += 1;
        responses.set(number, response);
        if (waiting.push([number, body.toString()]) === 1) setImmediate(send);
      });
    }),
  );
};

/** With the program, which creates the tables; the second vote differs from later ones in nothing. */
async function recordTwoVotes(database: string): Promise<void> {
  const config = loadConfig({
    ...{ TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: secret, ANNOUNCE_CHANNEL_ID: '613425648685547542' },
    ...{ DATABASE_URL: `sqlite:${database}`, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'fatal' },
  });
  const app = await createApp(config, { clock: systemClock, log: createLog({ level: 'fatal', secrets: [] }) });
  const url = await app.start();
  for (const number of [-2, -1]) {
    const { body, signature } = vote(number + 100_003);
    const response = await fetch(`${url}${path}`, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    });
    if (!response.ok) throw new Error(await response.text());
  }
  await app.stop();
}
