import { fastify } from 'fastify';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { secret } from '../../load/vote.ts';
import { path, type Start } from '../contender.ts';

/** The Express sample on Fastify. */
export const start: Start = async () => {
  const app = fastify();
  app.post(path, async (request, reply) => {
    const signature = String(request.headers['x-webhook-signature']);
    if (!isSignedWith(secret, JSON.stringify(request.body), signature)) {
      return reply.status(401).send({ error: 'Invalid signature' });
    }
    return { received: true };
  });
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
};
