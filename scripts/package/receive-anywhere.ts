/*
 * A program for every runtime: receives votes through `fetch`, over HTTP and with the example for Bun and Deno, and prints
 * what became of them.
 */

import { createReceiver } from '../../src/exports/receiver.ts';
import { sign } from '../../src/exports/verify.ts';

process.env['VOTE_SECRET'] = 'secret';
process.env['DATABASE'] = ':memory:';
const { default: example } = await import('../../examples/receiver-in-your-framework/bun-or-deno.ts');
const { receiver: ofExample } = await import('../../examples/receiver-in-your-framework/receiver.ts');
const handled = Promise.withResolvers<string>();
const receiver = await createReceiver({
  listings: [{ name: 'my-server', kind: 'server', voteSecrets: ['secret'] }],
  database: ':memory:',
  port: 0,
  handlers: { onVote: ({ userId, credits }) => handled.resolve(`${userId} +${credits}`) },
});
const url = await receiver.start();
const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
const delivery = { method: 'POST', body, headers: { 'x-webhook-signature': sign(body, 'secret') } };
const address = '/webhooks/vote';
const responses = [
  await receiver.fetch(new Request(`https://example.com${address}`, delivery)),
  await receiver.fetch(new Request(`https://example.com/tally${address}`, { ...delivery, body: `${body} ` })),
  await fetch(`${url}${address}`, delivery),
  await example.fetch(new Request(`https://example.com${address}`, delivery)),
];
const outcomes = [];
for (const response of responses)
  outcomes.push(`${response.status} ${((await response.json()) as { outcome?: string }).outcome}`);
const credits = (await receiver.ledger.account('42'))?.credits;
const call = await handled.promise;
await Promise.all([receiver.stop(), ofExample.stop()]);
console.log(JSON.stringify({ outcomes, call, credits }));
