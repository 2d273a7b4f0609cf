import { fastify } from 'fastify';
import { receiver } from './receiver.ts';

export const app = fastify();
// Before Fastify reads the body, so that the receiver has its bytes.
app.addHook('onRequest', async (request, reply) => {
  if (await receiver.node(request.raw, reply.raw)) reply.hijack();
});
app.get('/', () => 'My page');

if (import.meta.main) {
  await app.listen({ port: 3000 });
  process.once('SIGTERM', () => void app.close().then(receiver.stop));
}
