import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { TallyhookError } from '../errors.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Log } from '../log.ts';
import { outcomes } from '../tally/tally.ts';
import { requireToken } from './authorize.ts';
import type { Records, Replay } from './records.ts';

const id = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);
const userId = z.string().regex(/^\d{1,20}$/, 'must be 1 to 20 digits');
const page = { limit: id.pipe(z.number().min(1).max(500)).default(50), before: id.nullable().default(null) };
const deliveriesQuery = z.object({ ...page, outcome: z.enum(outcomes).nullable().default(null) });
const effectsQuery = z.object({ ...page, state: z.enum(['waiting', 'done', 'buried']).nullable().default(null) });

/** How many of a user's entries are shown with the account. */
const entriesShown = 100;

/**
 * The owner's HTTP API, to be mounted at `/owner/api`. JSON; times are ISO 8601 UTC; failures are `{success: false, error}`:
 * 400 for a parameter that cannot be, 401 without the token, 404 for what is not there, 503 when the store does not answer.
 */
export function createOwnerApi(options: {
  token: string;
  records: Records;
  ledger: LedgerReads;
  replay: Replay;
  /** The configured listings by name, and the cooldown of each (ms). */
  cooldowns: ReadonlyMap<string, number>;
  clock: Clock;
  log: Log;
}): Router {
  const { token, records, ledger, replay, cooldowns, log } = options;
  const router = Router();
  router.use(requireToken(token), (_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });

  router.get(
    '/users/:userId',
    answer(async (request) => {
      const user = parse(userId, request.params['userId']);
      const [account, listings, entries] = await Promise.all([
        ledger.account(user),
        Promise.all([...cooldowns].map(([listing, cooldown]) => votesOn(listing, cooldown, user))),
        records.entries(user, entriesShown),
      ]);
      const last = listings
        .filter(({ lastVoteAt }) => lastVoteAt !== null)
        .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0))[0];
      return {
        ...account,
        lastVoteAt: iso(last?.lastVoteAt ?? null),
        nextVoteAt: iso(last?.nextVoteAt ?? null),
        listings: listings.map(({ listing, lastVoteAt, nextVoteAt }) => ({
          listing,
          lastVoteAt: iso(lastVoteAt),
          nextVoteAt: iso(nextVoteAt),
        })),
        entries: entries.map((entry) => ({ ...entry, at: iso(entry.at) })),
      };
    }),
  );

  async function votesOn(listing: string, cooldown: number, user: string) {
    const lastVoteAt = await ledger.lastVoteAt(user, listing);
    return { listing, lastVoteAt, nextVoteAt: lastVoteAt === null ? null : lastVoteAt + cooldown };
  }

  router.get(
    '/deliveries',
    answer(async (request) => {
      const query = parse(deliveriesQuery, request.query);
      const deliveries = await records.deliveries(query);
      return {
        deliveries: deliveries.map(({ eventKey: _eventKey, receivedAt, ...delivery }) => ({
          ...delivery,
          receivedAt: iso(receivedAt),
        })),
        next: nextOf(deliveries, query.limit),
      };
    }),
  );

  router.get(
    '/effects',
    answer(async (request) => {
      const query = parse(effectsQuery, request.query);
      const effects = await records.effects(query);
      return { effects, next: nextOf(effects, query.limit) };
    }),
  );

  router.post(
    '/deliveries/:id/replay',
    answer(async (request) => {
      const delivery = await records.delivery(parse(id, request.params['id']));
      if (delivery === null) throw new Refused(404, 'There is no delivery with that id.');
      const { outcome, reason, credits } = await replay(delivery);
      return { outcome, reason, credits };
    }),
  );

  router.get(
    '/summary',
    answer(async () => records.counts()),
  );

  router.use((_request, response) => {
    response.status(404).json({ success: false, error: 'The owner API has no such path.' });
  });
  router.use(refuse(log));
  return router;
}

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function answer(produce: (request: Request) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    response.json(await produce(request));
  };
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
  throw new Refused(400, `A parameter is not right: ${issues.join('; ')}.`);
}

function refuse(log: Log): ErrorRequestHandler {
  return (error: unknown, _request: Request, response: Response, _next) => {
    if (error instanceof Refused)
      return void response.status(error.status).json({ success: false, error: error.message });
    if (error instanceof URIError)
      return void response.status(400).json({ success: false, error: 'The path cannot be decoded.' });
    const foreseen = error instanceof TallyhookError;
    if (!foreseen) log.error({ error: String(error) }, 'the owner API failed');
    const text = foreseen ? error.message : 'The database does not answer.';
    response.status(503).set('retry-after', '5').json({ success: false, error: text });
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Where the next page begins: the id to give as `before`; null on the last one. */
function nextOf(rows: readonly { readonly id: number }[], limit: number): number | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}
