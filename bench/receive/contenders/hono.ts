import type { Server } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { secret } from '../../load/vote.ts';
import { listen } from '../../process/listen.ts';
import { path, type Start } from '../contender.ts';

/** The Express sample on Hono. */
export const start: Start = () => {
  const app = new Hono();
  app.post(path, async (context) => {
    const body = await context.req.json();
    const signature = context.req.header('x-webhook-signature') ?? '';
    if (!isSignedWith(secret, JSON.stringify(body), signature))
      return context.json({ error: 'Invalid signature' }, 401);
    return context.json({ received: true });
  });
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
};
