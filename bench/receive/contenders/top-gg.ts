import { createServer } from 'node:http';
import { Webhook } from '@top-gg/sdk';
import express from 'express';
import { secret } from '../../load/vote.ts';
import { listen } from '../../process/listen.ts';
import { path, type Start } from '../contender.ts';

/** The listener of a listing service's SDK. It compares the Authorization header; nothing is signed. */
export const start: Start = () => {
  const app = express();
  const votes = new Webhook(secret);
  app.post(
    path,
    votes.listener(() => {}),
  );
  return listen(createServer(app));
};
