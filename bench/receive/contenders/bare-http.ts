import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { secret } from '../../load/vote.ts';
import { listen } from '../../process/listen.ts';
import type { Start } from '../contender.ts';

/** The minimum for a signed delivery on Node: read, verify, respond. Nothing is parsed or stored. */
export const start: Start = () => listen(createServer(handle));

function handle(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const signature = String(request.headers['x-webhook-signature']);
    const status = isSignedWith(secret, Buffer.concat(chunks), signature) ? 200 : 401;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"received":true}');
  });
}
