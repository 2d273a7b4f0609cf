import { createServer } from 'node:http';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { secret } from '../../load/vote.ts';
import { listen } from '../../process/listen.ts';
import { path, type Start } from '../contender.ts';

/** A widely used receiver of signed webhooks, with an empty listener. */
export const start: Start = () => {
  const webhooks = new Webhooks({ secret });
  webhooks.on('star', () => {});
  const middleware = createNodeMiddleware(webhooks, { path });
  return listen(createServer((request, response) => void middleware(request, response)));
};
