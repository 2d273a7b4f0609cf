/**
 * The process of a handler as one would write it at first: Express, prepared statements on the same SQLite file, no rate
 * limit. `/constant` reads nothing.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import express, { type Request } from 'express';
import { serveParent } from '../process/child-server.ts';
import { listen } from '../process/listen.ts';
import { plainQueries } from './plain-queries.ts';

const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 5_000 });
database.exec('PRAGMA journal_mode = WAL');
const queries = plainQueries(database);
const app = express();
app.disable('x-powered-by');

/** The row of the listing that the key belongs to. */
function listingOf(request: Request): Record<string, string | number | null> | undefined {
  const hash = createHash('sha256')
    .update(request.get('x-api-key') ?? '')
    .digest('hex');
  return queries.listing.get(hash) as Record<string, string | number | null> | undefined;
}

const iso = (at: unknown) => (at === null ? null : new Date(Number(at)).toISOString());
const parsed = (json: unknown) => JSON.parse(String(json));

app.get('/api/v1/server', (request, response) => {
  const listing = listingOf(request);
  if (listing === undefined) return void response.status(401).json({ success: false, error: 'No such key.' });
  const { members, online, ...facts } = parsed(listing['facts_json']);
  const now = new Date();
  const month = now.getUTCFullYear() * 100 + now.getUTCMonth() + 1;
  response.json({
    success: true,
    data: {
      id: listing['id'],
      name: listing['name'],
      description: listing['description'],
      votes: queries.votes(String(listing['id'])),
      monthlyVotes: queries.votesSince(String(listing['id']), month),
      tags: parsed(listing['tags_json']),
      ownerDiscordId: listing['owner_id'],
      ...facts,
      url: `http://127.0.0.1/servers/${listing['id']}`,
      memberCount: members,
      stats: { members, online },
    },
  });
});

app.get('/api/v1/bot', (request, response) => {
  const listing = listingOf(request);
  if (listing === undefined) return void response.status(401).json({ success: false, error: 'No such key.' });
  response.json({
    success: true,
    data: {
      id: listing['id'],
      name: listing['name'],
      description: listing['description'],
      votes: queries.votes(String(listing['id'])),
      tags: parsed(listing['tags_json']),
      url: `http://127.0.0.1/bots/${listing['id']}`,
      stats: parsed(listing['facts_json']),
    },
  });
});

app.get('/api/v1/votes/:userId', (request, response) => {
  const listing = listingOf(request);
  if (listing === undefined) return void response.status(401).json({ success: false, error: 'No such key.' });
  if (!/^\d+$/.test(request.params.userId)) return void response.status(400).json({ success: false, error: 'No id.' });
  const last = queries.lastVote(String(listing['id']), request.params.userId);
  const next = last === null ? null : last + 43_200_000;
  const remaining = Math.max(0, (next ?? 0) - Date.now());
  response.json({
    success: true,
    data: {
      canVote: remaining === 0,
      nextVoteDate: iso(next),
      lastVoteDate: iso(last),
      secondsUntilVote: Math.ceil(remaining / 1_000),
    },
  });
});

app.get('/api/v1/reviews', (request, response) => {
  const listing = listingOf(request);
  if (listing === undefined) return void response.status(401).json({ success: false, error: 'No such key.' });
  const rows = queries.reviews(String(listing['id']), Math.min(50, Number(request.query['limit'] ?? 10)));
  const data = rows.map((row) => ({
    username: row['username'],
    rating: row['rating'],
    comment: row['comment'],
    createdAt: iso(row['created_at']),
  }));
  response.json({
    success: true,
    data,
    meta: { total: queries.reviewCount(String(listing['id'])), shown: data.length },
  });
});

app.get('/constant', (_request, response) => {
  response.json({ success: true });
});

const port = await listen(createServer(app));
serveParent({ port: () => port });
