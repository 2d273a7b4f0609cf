import { z } from 'zod';
import { type EventType, eventTypes } from './event-types.ts';

/*
 * Schemas of the events for other programs, in any language: the one description from which types, JSON Schemas and the
 * document of the API follow. The writer thread loads types of it alone.
 */

const id = z.string().describe('Discord ID.');
const member = id.describe('The member (Discord ID).');
const credits = z.int().describe('Whole credits; negative if they were taken.');
const balance = z.int().describe('The balance after it (credits).');
const time = z.iso.datetime().describe('ISO 8601, UTC.');

/** The fields of every event. */
const common = {
  id: z.string().describe('The same at every attempt and for every receiver: events with one id are one event.'),
  guildId: id.nullable().describe('The guild of the community; null for listings without a guild.'),
};

const ofListing = {
  listing: z.string().describe('The name of the configured listing.'),
  site: z.string().describe('The site that it is on, such as `topgg`; `service` for the document’s service.'),
  kind: z.enum(['server', 'bot']),
  targetId: id.nullable().describe('The server or bot that it is (Discord ID); null if the settings do not say it.'),
};

const milestone = {
  votes: z.int().describe('The counted votes that were reached.'),
  credits: credits.describe('What it paid (credits).'),
};

const premium = {
  ...common,
  ...ofListing,
  userId: member.nullable().describe('The holder (Discord ID); null if nothing names one.'),
  event: z.string().describe('As the service names it, such as `premium_purchase` or `subscription.expired`.'),
  tier: z.string().nullable(),
  giftedBy: id.nullable().describe('Who paid for a gift (Discord ID).'),
  periodEnd: time.nullable().describe('End of the paid period; null if it is not known.'),
  at: time,
};

const purchase = {
  ...common,
  userId: member,
  recipientId: id.nullable().describe('To whom it was given (Discord ID); null if the buyer has it.'),
  purchaseId: z.string(),
  item: z.string().describe('The id of the item.'),
  name: z.string().describe('The name of the item.'),
  price: z.int().describe('What it cost (credits).'),
  role: id.nullable().describe('The role that was bought (Discord ID); null if the item is not a role.'),
  balance,
};

/** The `data` of each type of event. */
export const eventSchemas = {
  'vote.recorded': z.object({
    ...common,
    userId: member,
    ...ofListing,
    votedAt: time.describe('When the vote was cast.'),
    credits: credits.describe('All that the vote earned, streaks, milestones and bonuses included.'),
    balance,
    votes: z.int().describe('Counted votes of the member, with this one.'),
    streak: z.int().describe('The streak after it (days).'),
    milestones: z.array(z.object(milestone)).describe('The milestones that it reached.'),
    reason: z.string().nullable().describe('Why it paid less; null if it paid in full.'),
    denied: z.boolean().describe('The site denied its credits. It counts as a vote.'),
  }),
  'vote.reversed': z.object({
    ...common,
    userId: member,
    listing: ofListing.listing,
    votes: z.int().describe('How many votes of the member were taken back.'),
    credits,
    balance,
    at: time,
  }),
  'streak.ended': z.object({
    ...common,
    userId: member,
    days: z.int().describe('How long it was (days).'),
    endedOn: z.iso.date().describe('The first day without a vote, in the time zone of the community.'),
  }),
  'milestone.reached': z.object({ ...common, userId: member, ...ofListing, ...milestone, balance, at: time }),
  'party.reached': z.object({
    ...common,
    period: z.string().describe('Such as `week 2026-W02`.'),
    goal: z.int().describe('Counted votes.'),
    credits: credits.describe('For each voter of the period.'),
    at: time,
  }),
  'premium.started': z.object({ ...premium, credits, balance: balance.nullable() }),
  'premium.ended': z.object(premium),
  'purchase.made': z.object({ ...purchase, at: time }),
  'purchase.refunded': z.object({ ...purchase, at: time }),
  'prize.won': z.object({
    ...common,
    userId: member,
    cause: z.string().describe('Of the entry: `prize` or `raffle`.'),
    period: z.string().describe('Such as `month 2026-01`.'),
    by: z
      .enum(['votes', 'credits', 'streak'])
      .nullable()
      .describe('What the places are ranked by; null without places.'),
    place: z.int().nullable().describe('Counted from 1; equal scores share the better place. Null without places.'),
    score: z.int().nullable().describe('Votes, credits or days of the period; null without places.'),
    credits,
    role: id.nullable().describe('The role that was won (Discord ID); null if there is none.'),
    balance,
    at: time,
  }),
  'credits.changed': z.object({
    ...common,
    userId: member,
    credits,
    balance,
    cause: z.string().describe('As of the entry: `correction` or `gift`.'),
    reason: z.string().describe('What the author entered; of a gift `gift`.'),
    author: id
      .nullable()
      .describe(
        'The manager, or who gave a gift (Discord ID), `operator`, a token such as `token 3 (quiz)`, or null for a program.',
      ),
    at: time,
  }),
  'webhook.test': z.object({ ...common, at: time }),
} as const satisfies Readonly<Record<EventType, z.ZodType>>;

export type EventData = { readonly [Type in EventType]: z.infer<(typeof eventSchemas)[Type]> };

/** The body of a request, and of an event of the stream. */
export function eventSchema<Type extends EventType>(type: Type) {
  return z
    .object({
      type: z.literal(type),
      timestamp: time.describe('When tallyhook recorded it.'),
      data: eventSchemas[type],
    })
    .meta({ id: type, title: type });
}

/** Where the JSON Schema of events is published: the file docs/events.schema.json of the repository. */
const eventsAddress = 'https://raw.githubusercontent.com/tallyhook/tallyhook/main/docs/events.schema.json';

/** The JSON Schema of all events (draft 2020-12), each in `$defs` under its type. */
export function eventsJsonSchema(): Readonly<Record<string, unknown>> {
  const [first, ...others] = eventTypes.map((type) => eventSchema(type));
  if (first === undefined) throw new Error('There are no events.');
  const schema = z.toJSONSchema(z.union([first, ...others]), {
    // The format says it, and the pattern of a time is longer than the rest of an event.
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return { $id: eventsAddress, title: 'Events of tallyhook', ...schema };
}
