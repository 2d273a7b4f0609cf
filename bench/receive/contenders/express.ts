import { createServer } from 'node:http';
import express, { type Express } from 'express';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { path, secret } from '../../load/vote.ts';
import { listen } from '../../process/child.ts';
import type { Start } from '../contender.ts';

/** The usual starting point. */
export const start: Start = () => listen(createServer(expressSample(() => {})));

/** The fields of a vote that the samples store. */
export interface Vote {
  readonly userId: string;
  readonly timestamp: string;
}

/** The sample from many listing services' documentation: express.json and the HMAC of the re-serialised body. */
export function expressSample(keep: (vote: Vote) => void): Express {
  const app = express();
  app.use(express.json());
  app.post(path, (request, response) => {
    const signature = request.get('x-webhook-signature') ?? '';
    if (!isSignedWith(secret, JSON.stringify(request.body), signature)) {
      response.status(401).json({ error: 'Invalid signature' });
      return;
    }
    keep(request.body);
    response.json({ received: true });
  });
  return app;
}
