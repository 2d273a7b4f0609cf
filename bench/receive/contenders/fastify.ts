import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyReply, fastify } from 'fastify';
import { isSignedWith } from '../../../src/webhook/signature.ts';
import { memberIdSql, path, secret } from '../../load/vote.ts';
import type { Start } from '../contender.ts';
import type { Vote } from './express.ts';

/** A minimal durable server: the votes of a turn of the event loop are committed together, two rows each, no rules. */
export const start: Start = async ({ directory, members }) => {
  const database = new DatabaseSync(join(directory, 'votes.db'));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE votes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (user_id, at));
    CREATE TABLE balances (user_id TEXT PRIMARY KEY, credits INTEGER NOT NULL) WITHOUT ROWID;
  `);
  if (members > 0) {
    database.exec(`
      WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT ${members})
        INSERT INTO balances SELECT ${memberIdSql}, 10 FROM numbers;
      PRAGMA wal_checkpoint(TRUNCATE)`);
  }
  const insert = database.prepare('INSERT INTO votes (user_id, at, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const credit = database.prepare(
    'INSERT INTO balances VALUES (?, 10) ON CONFLICT (user_id) DO UPDATE SET credits = credits + 10',
  );
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
  const waiting: { vote: Vote; reply: FastifyReply }[] = [];
  function flush(): void {
    const batch = waiting.splice(0);
    begin.run();
    for (const { vote } of batch) {
      if (insert.run(vote.userId, vote.timestamp, JSON.stringify(vote)).changes > 0) credit.run(vote.userId);
    }
    commit.run();
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
