import { type FastifyReply, fastify } from 'fastify';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { path, secret } from '../../load/vote.ts';
import type { Start } from '../contender.ts';
import type { Vote } from './express.ts';
import { openVotes } from './votes-table.ts';

/** A minimal durable server: the votes of a turn of the event loop are committed together, two rows each, no rules. */
export const start: Start = async ({ directory, members }) => {
  const record = openVotes(directory, members);
  const waiting: { vote: Vote; reply: FastifyReply }[] = [];
  function flush(): void {
    const batch = waiting.splice(0);
    record(batch.map(({ vote }) => vote));
    for (const { reply } of batch) void reply.send({ received: true });
  }

  const app = fastify();
  app.post<{ Body: Vote }>(path, (request, reply) => {
    const signature = String(request.headers['x-webhook-signature']);
    if (!isSignedWith(secret, JSON.stringify(request.body), signature)) {
      void reply.status(401).send({ error: 'Invalid signature' });
    } else if (waiting.push({ vote: request.body, reply }) === 1) setImmediate(flush);
  });
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
};
