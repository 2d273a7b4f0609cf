import { createServer } from 'node:http';
import { listen } from '../../process/child.ts';
import type { Start } from '../contender.ts';
import { expressSample } from './express.ts';
import { openVotes } from './votes-table.ts';

/** The sample with durable votes: one transaction per vote. */
export const start: Start = ({ directory }) => {
  const record = openVotes(directory);
  return listen(createServer(expressSample((vote) => record([vote]))));
};
