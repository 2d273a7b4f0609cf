import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { receiver } from './receiver.ts';

export const app = new Hono();
// With `all`, a GET gets 405 with a hint.
app.all('/webhooks/*', (context) => receiver.fetch(context.req.raw));
app.get('/', (context) => context.text('My page'));

if (import.meta.main) {
  const server = serve({ fetch: app.fetch, port: 3000 });
  process.once('SIGTERM', () => server.close(() => void receiver.stop()));
}
