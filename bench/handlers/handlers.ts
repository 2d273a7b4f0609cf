import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { second } from '@tallyhook/platform/durations';
import { createReceiver } from '../../src/exports/receiver.ts';
import { sign } from '../../src/webhook/signature.ts';

/*
 * How many calls of a handler per second one community gets, if each awards credits:
 *   node bench/handlers/handlers.ts --votes 2000
 * Calls of one kind and community are made one after the other. Votes are sent first, so that none of the calls waits
 * for one.
 */

const { values } = parseArgs({ options: { votes: { type: 'string', default: '2000' } } });
const votes = Number(values.votes);
const votesAtOnce = 64;
const secret = 'secret-for-the-benchmark';
const directory = mkdtempSync(join(tmpdir(), 'tallyhook-bench-'));
let calls = 0;

const receiver = await createReceiver({
  listings: [{ name: 'server', kind: 'server', voteSecrets: [secret] }],
  database: join(directory, 'handlers.db'),
  port: 0,
  handlers: {
    async onVote({ userId }, { id, ledger }) {
      await ledger.award({ userId, credits: 1, reason: 'benchmark', key: id });
      calls += 1;
    },
  },
});
const url = await receiver.start();

async function send(index: number): Promise<void> {
  const userId = String(700_000_000_000_000_000n + BigInt(index));
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
  const headers = { 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers });
  if (!response.ok) throw new Error(`A vote got ${response.status}.`);
}

const startedAt = performance.now();
for (let first = 0; first < votes; first += votesAtOnce) {
  await Promise.all(Array.from({ length: Math.min(votesAtOnce, votes - first) }, (_, index) => send(first + index)));
}
const [sentAt, earlier] = [performance.now(), calls];
while (calls < votes) await new Promise((resolve) => setTimeout(resolve, 20));
const seconds = (performance.now() - sentAt) / second;
console.log(`${votes} votes in ${((sentAt - startedAt) / second).toFixed(1)} s`);
console.log(`${((votes - earlier) / seconds).toFixed(0)} calls a second afterwards, each with one award`);
await receiver.stop();
rmSync(directory, { recursive: true });
