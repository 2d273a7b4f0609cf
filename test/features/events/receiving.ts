import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { sign } from '../../../src/webhook/signature.ts';

export const voteSecret = 'the secret of the vote webhook';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program in another language: answers with the statuses in turn, the last one from then on. */
export async function eventReceiver(...statuses: readonly number[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 204;
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

/** A vote for the server, of some minutes ago. Returns the response. */
export async function sendVote(url: string, userId = '', minutesAgo = 5): Promise<unknown> {
  const timestamp = new Date(Date.now() - 60_000 * minutesAgo).toISOString();
  const body = JSON.stringify({ event: 'server_vote', serverId: '613425648685547541', userId, timestamp });
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, voteSecret) };
  return (await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body })).json();
}
