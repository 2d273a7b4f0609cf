import { createServer } from 'node:http';
import { join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import { listen } from '../../process/listen.ts';
import type { Start } from '../contender.ts';
import { expressSample } from '../express-sample.ts';

/** The sample with balances in Keyv, as many bots do. Two concurrent votes of one member may count as one. */
export const start: Start = ({ directory }) => {
  const store = new KeyvSqlite({ uri: `sqlite://${join(directory, 'balances.db')}`, wal: true });
  const balances = new Keyv<number>({ store });
  const app = expressSample(async ({ userId }) => {
    await balances.set(userId, ((await balances.get(userId)) ?? 0) + 10);
  });
  return listen(createServer(app));
};
