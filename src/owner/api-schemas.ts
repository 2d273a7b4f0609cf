import { z } from 'zod';
import { leaderboardPeriods, leaderboardScores } from '../core/ledger/standing.ts';
import { isPruned } from '../core/records/records.ts';
import { tokenScopes } from '../features/tokens/store.ts';
import { outcomes } from '../webhook/response.ts';
import { decisions } from './queries.ts';
import { effectStates, purchaseStates } from './request-schemas.ts';

/*
 * The JSON of the responses of the owner API, whose document is made of these schemas. They turn records into it: times
 * (ms since the epoch) become ISO 8601 in UTC, and what a schema does not name is left out, so that no secret is sent by
 * mistake. Ids of Discord are strings. A schema with an `id` is a component of the document.
 */

const time = z
  .number()
  .transform((at) => new Date(at).toISOString())
  .pipe(z.iso.datetime().meta({ description: 'ISO 8601, in UTC.' }));
const nullableTime = time.nullable();
const discordId = z.string().meta({ description: 'Discord id.' });
/** Null for a community without a guild. */
const guildId = discordId.nullable();
const count = z.int().min(0);
const credits = z.int().meta({ description: 'Whole credits.' });
const rank = z.int().min(1);
const next = z.int().nullable().meta({ description: '`before` of the next page; null on the last page.' });
const names = z.string().nullable();
const reason = z.string().nullable();

export const errorResponse = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'A sentence for people.' }),
    code: z.string().meta({ description: 'The kind of error, for programs.' }),
  })
  .meta({ id: 'Error' });

const delivery = z.object({
  id: z.int(),
  receivedAt: time,
  family: z.enum(['vote', 'premium']),
  listing: names,
  kind: names,
  outcome: z.enum(outcomes),
  reason,
  userId: discordId.nullable(),
  credits,
  body: z
    .string()
    .transform((body) => (isPruned({ body }) ? null : body))
    .pipe(z.string().nullable().meta({ description: 'As it was received; null if it was pruned.' })),
});
const deliveryJson = delivery.meta({ id: 'Delivery' });

const why = z.string().meta({ description: 'An explanation for people.' });

const effect = z.object({
  id: z.int(),
  kind: z.string(),
  state: z.enum(effectStates),
  attempts: count,
  reason,
  deliveryId: z.int().nullable().meta({ description: 'Null if no delivery caused it.' }),
  queue: z.string().meta({ description: 'What is rate-limited together, such as a channel.' }),
  createdAt: time,
  dueAt: time,
  finishedAt: nullableTime,
});
const effectJson = effect.meta({ id: 'Effect' });
export const effectDetails = effect.extend({ why }).meta({ id: 'EffectDetails' });

const entry = z
  .object({
    id: z.int(),
    listing: names,
    credits,
    cause: z.string().meta({ description: '`vote`, `premium`, `streak`, `purchase`, `correction`, …' }),
    reason,
    at: time,
    deliveryId: z.int().nullable(),
    key: z.string().optional().meta({ description: 'The key that a program has passed to the ledger.' }),
  })
  .meta({ id: 'Entry' });

export const deliveryPage = z.object({ deliveries: z.array(deliveryJson), next });
export const deliveryDetails = delivery
  .extend({
    why,
    duplicateOf: z.int().nullable(),
    entry: entry.nullable(),
    effects: z.array(effect.extend({ role: discordId.nullable() })),
    timeline: z.array(z.object({ at: time, what: z.string(), text: z.string() })),
  })
  .meta({ id: 'DeliveryDetails' });
export const replayResult = z.object({ outcome: z.string(), reason, credits });
export const effectPage = z.object({ effects: z.array(effectJson), next });

export const summary = z
  .object({
    deliveries: z.record(z.string(), count).meta({ description: 'By outcome.' }),
    effects: z.object({ waiting: count, done: count, buried: count }),
    users: count,
    credits,
    votes: count,
    parts: z
      .record(z.string(), z.object({ ready: z.boolean(), reason: z.string().optional() }))
      .meta({ description: 'State of each component.' }),
    budgets: z.array(
      z.object({
        listing: z.string(),
        left: count.nullable(),
        limit: count,
        keyRefused: z.boolean(),
        wrongShape: z.boolean(),
      }),
    ),
    lastDelivery: deliveryJson.nullable(),
  })
  .meta({ id: 'Summary' });

export const member = z
  .object({
    userId: discordId,
    guildId,
    credits,
    votes: count,
    rank: rank.nullable().meta({ description: 'By credits; null without credits and votes.' }),
    streak: z.object({ days: count, endsAt: nullableTime }),
    grants: z.array(z.object({ role: discordId, until: nullableTime })),
    reminder: z.boolean(),
    lastVoteAt: nullableTime,
    nextVoteAt: nullableTime,
    listings: z.array(z.object({ listing: z.string(), lastVoteAt: nullableTime, nextVoteAt: nullableTime })),
    entries: z.array(entry),
    next,
    unpaid: z
      .array(delivery.extend({ why }))
      .meta({ description: 'The newest deliveries that paid nothing, each with the reason.' }),
  })
  .meta({ id: 'Member' });

export const memberPage = z.object({
  guildId,
  members: z.array(
    z.object({
      userId: discordId,
      name: names.meta({ description: 'Of members that were searched; otherwise null.' }),
      credits,
      rank: rank.nullable(),
    }),
  ),
  total: count.meta({ description: 'Members with credits, or those that were found.' }),
  next: next.meta({ description: '`before` of the next page: how many members the pages so far have.' }),
});

export const leaderboard = z.object({
  period: z.enum(leaderboardPeriods),
  by: z.enum(leaderboardScores),
  members: z.array(z.object({ userId: discordId, score: z.int(), rank })),
  total: count,
  asOf: time,
  next,
});

export const correctionResult = z.object({
  userId: discordId,
  credits: credits.meta({ description: 'The balance after it.' }),
  correction: z.object({
    guildId: z.string().optional(),
    credits,
    reason: z.string(),
    at: time.optional().meta({ description: 'Missing in a repetition.' }),
  }),
  repeated: z.boolean(),
});

export const listingList = z.object({
  listings: z.array(
    z.object({
      name: z.string(),
      site: z.string(),
      trust: z.enum(['signed', 'token', 'none']),
      timeZone: z.string(),
      held: z
        .object({
          listing: z.string(),
          state: z.string(),
          heldAt: time,
          held: count,
          paid: count,
          usual: z.number(),
        })
        .nullable(),
    }),
  ),
});
export const decisionResult = z.object({ listing: z.string(), decision: z.enum(decisions) });
export const reversalResult = z.object({
  members: count,
  votes: count,
  credits,
  spent: credits.optional().meta({ description: 'Credits that members no longer had.' }),
});

const valueInEffect = z.object({
  value: z.unknown().meta({ description: 'As in the file of TALLYHOOK_CONFIG, without secrets; null if it is off.' }),
  source: z.enum(['unset', 'environment', 'file', 'default', 'setup']),
});
const values = z.record(z.string(), valueInEffect).meta({ description: 'By path, such as `rewards.vote`.' });
export const settingsJson = z
  .object({
    guildId: discordId,
    version: z.int().min(0).meta({ description: 'The number of the newest change, to be sent with the next one.' }),
    values: values.meta({ description: 'Settings that all listings share, by path.' }),
    listings: z.array(z.object({ name: z.string(), kind: z.enum(['server', 'bot']), site: names, values })),
  })
  .meta({ id: 'Settings' });

export const purchase = z
  .object({
    id: z.int(),
    userId: discordId,
    receiverId: discordId.nullable().meta({ description: 'To whom it was given; null if the buyer has it.' }),
    item: z.string(),
    name: z.string(),
    price: credits,
    state: z.enum(purchaseStates),
    manual: z.boolean().meta({ description: 'True if the team of the community fulfils it.' }),
    role: discordId.nullable(),
    until: nullableTime,
    at: time,
    settledAt: nullableTime,
  })
  .meta({ id: 'Purchase' });
export const purchasePage = z.object({ purchases: z.array(purchase), next });

const tokenFields = {
  id: z.int(),
  name: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  createdAt: time,
  createdBy: z.string().meta({ description: 'Discord id of the manager who answers for it, or `operator`.' }),
  expiresAt: nullableTime,
  usedAt: nullableTime.meta({ description: 'The last use, to the minute.' }),
  revokedAt: nullableTime,
};
export const token = z.object(tokenFields).meta({ id: 'Token' });
export const newToken = z
  .object({ ...tokenFields, token: z.string().meta({ description: 'Shown only now.' }) })
  .meta({ id: 'NewToken' });
export const tokenList = z.object({ tokens: z.array(token) });

const attemptFields = {
  eventId: z.string(),
  type: z.string(),
  at: time,
  durationMs: count,
  status: z.int().nullable().meta({ description: 'Null without a response.' }),
  error: z.string().nullable().meta({ description: 'Null if it was accepted.' }),
  response: z.string().nullable().meta({ description: 'The beginning of the response.' }),
};
export const webhookList = z.object({
  webhooks: z.array(
    z.object({
      id: z.string(),
      host: z.string().meta({ description: 'Without the path, which may be secret.' }),
      events: z.array(z.string()).nullable().meta({ description: 'Null for all events.' }),
      state: z.enum(['ok', 'failing', 'paused']),
      failingSince: nullableTime,
      pausedAt: nullableTime,
      reason: z.string().nullable().meta({ description: 'Of the newest failure.' }),
    }),
  ),
});
export const webhookAttempts = z.object({
  host: z.string(),
  attempts: z.array(z.object({ id: z.int(), ...attemptFields })),
});
export const webhookTest = z.object({
  status: z.enum(['sent', 'waiting']).meta({ description: 'Waiting: there is no response yet.' }),
  attempt: z.object(attemptFields).nullable(),
});
export const webhookResumed = z.object({ id: z.string() });
export const webhookResent = z.object({ id: z.string(), events: count });
