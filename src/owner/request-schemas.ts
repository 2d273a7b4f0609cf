import { isOnCalendar } from '@tallyhook/platform/calendar-date';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { z } from 'zod';
import { maxCorrection, maxReasonLength } from '../core/ledger/correction.ts';
import { leaderboardPeriods, leaderboardScores } from '../core/ledger/standing.ts';
import { withoutGuild } from '../features/communities/directory.ts';
import { maxTokenNameLength, tokenScopes } from '../features/tokens/store.ts';
import { outcomes } from '../webhook/response.ts';
import { siteIds } from '../webhook/sites/index.ts';

const id = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);
const userId = z.string('must be 1 to 20 digits').regex(snowflakePattern, 'must be 1 to 20 digits');
/** Names a community; `none` that of listings without a guild. */
const guildId = z.literal(withoutGuild).or(userId).meta({
  description: 'The server of the community, or `none`; to be left out with its token, or if there is only one.',
});
/** PostgreSQL rejects U+0000 in text. */
const noNul = /^[^\0]*$/;
const noNulRule = 'must not contain U+0000';
const filterText = z
  .string('must be given once')
  .trim()
  .max(100, 'must be at most 100 characters')
  .regex(noNul, noNulRule);

/** Null if the parameter is missing or empty, as in an unused field of the console's filter form. */
function optional<Value extends z.ZodType>(value: Value) {
  return z.preprocess((input) => (input === '' ? undefined : input), value.nullable().default(null));
}

export const effectStates = ['waiting', 'done', 'buried'] as const;
export const purchaseStates = ['confirmed', 'fulfilled', 'refunded'] as const;
const time = z
  .string('must be given once')
  .regex(
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/,
    'must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00Z',
  )
  .refine((text) => isOnCalendar(text.slice(0, 10)), 'must be an existing date')
  // Without a time zone it is UTC, like all times that the API shows.
  .transform((text) => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((at) => !Number.isNaN(at), 'must be an existing date');

const nextPage = { description: '`next` of the page before.' };

function pageFields(defaultLimit: number) {
  const limit = id
    .refine((count) => count >= 1 && count <= maxLimit, `must be 1 to ${maxLimit}`)
    .meta({ description: `Rows per page; ${defaultLimit} by default.`, minimum: 1, maximum: maxLimit })
    .default(defaultLimit);
  return {
    limit: z.preprocess((input) => (input === '' ? undefined : input), limit),
    before: optional(id.meta(nextPage)),
  };
}

const defaultLimit = 50;
const maxLimit = 500;

export const idParameter = z.object({ id });
export const userParameter = z.object({ userId });
/** Missing and empty parameters are null; `since` and `until` become ms since the epoch. */
export const deliveriesQuery = z.strictObject({
  ...pageFields(defaultLimit),
  outcome: optional(z.enum(outcomes, `must be ${outcomes.join(', ')}`)),
  kind: optional(filterText),
  listing: optional(filterText),
  site: optional(z.enum(siteIds, `must be ${siteIds.join(', ')}`)),
  user: optional(userId.meta({ description: 'Also of quarantined deliveries that contain the id.' })),
  since: optional(time.meta({ description: 'Received at or after this time.' })),
  until: optional(time.meta({ description: 'Received before this time.' })),
});
export const effectsQuery = z.strictObject({
  ...pageFields(defaultLimit),
  state: optional(z.enum(effectStates, `must be ${effectStates.join(', ')}`)),
});

/** A missing or empty parameter is the default. */
function choice<const Choice extends string>(choices: readonly Choice[], byDefault: NoInfer<Choice>) {
  const value = z.enum(choices, `must be ${choices.join(', ')}`);
  return z.preprocess((input) => (input === '' ? undefined : input), value.default(byDefault));
}
/** A page of what an account has; `guildId` is null for the only community. */
export const memberQuery = z.strictObject({ ...pageFields(defaultLimit), guildId: optional(guildId) });
/** A page of an account for programs, which add its entries up: as many as fit. */
export const accountQuery = memberQuery.extend(pageFields(maxLimit));
/** `id` is the id or a part of a name, null for none; `from` is how many members to skip. */
export const membersQuery = z.strictObject({
  id: optional(filterText),
  guildId: optional(guildId),
  from: id.default(0),
});
/** `before` is the number of members on the earlier pages, or null; `guildId` as of {@link memberQuery}. */
export const leaderboardQuery = z.strictObject({
  guildId: optional(guildId),
  ...pageFields(defaultLimit),
  period: choice(leaderboardPeriods, 'all'),
  by: choice(leaderboardScores, 'credits'),
});

/** A page of members; `search` is the id or a part of a name. */
export const memberListQuery = z.strictObject({
  guildId: optional(guildId),
  search: optional(filterText.meta({ description: 'The id, or a part of the name.' })),
  ...pageFields(defaultLimit),
});

/** The query of a route about one community, which has to be named if there are several. */
export const communityQuery = z.strictObject({ guildId: optional(guildId) });
export const endpointParameter = z.object({
  endpoint: z.string().regex(/^[\da-f]{12}$/, 'must be the id of an endpoint'),
});
export const purchasesQuery = z.strictObject({
  guildId: optional(guildId),
  ...pageFields(defaultLimit),
  state: optional(z.enum(purchaseStates, `must be ${purchaseStates.join(', ')}`)),
});

/** The stream of events reads these itself. */
export const eventsQuery = z.object({
  replay: z.string().optional().meta({ description: 'Begin with the events of the last time, such as `1h`.' }),
  lastEventId: z.string().optional().meta({ description: 'In place of the header `Last-Event-ID`.' }),
});

const maxChanges = 100;

/** Changes of settings, all or none. */
export const settingsRequest = z.strictObject({
  version: z.int('must be the version that GET /settings returns').min(0),
  changes: z
    .array(
      z.strictObject({
        listing: z.string().max(100).nullable().default(null).meta({
          description: 'Name of the listing; null or missing for a setting that all listings share.',
        }),
        path: z.string().max(100).meta({ description: 'Such as `rewards.vote`.' }),
        value: z.unknown().optional().meta({
          description: 'As in the file of TALLYHOOK_CONFIG; null switches it off; missing: what was stored is removed.',
        }),
      }),
    )
    .min(1, 'must name a change')
    .max(maxChanges, `must have at most ${maxChanges} changes`),
});

const tokenNameRule = `must be 1 to ${maxTokenNameLength} characters`;
export const tokenRequest = z.strictObject({
  name: z
    .string(tokenNameRule)
    .trim()
    .min(1, tokenNameRule)
    .max(maxTokenNameLength, tokenNameRule)
    .refine((name) => !/\p{C}/u.test(name), 'must not contain control characters'),
  scopes: z
    .array(z.enum(tokenScopes, `must be of ${tokenScopes.join(', ')}`))
    .min(1, 'must name a scope')
    .transform((scopes) => tokenScopes.filter((scope) => scopes.includes(scope))),
  expiresAt: time.nullable().default(null).meta({ description: 'When it ends; null or missing for never.' }),
});

export const listingParameter = z.object({ listing: filterText });
/** Times become ms since the epoch. */
export const reversalRequest = z.strictObject({
  from: time,
  until: time,
  dryRun: z.boolean('must be true or false').default(false),
});

const creditsRule = `must be a whole number from -${maxCorrection} to ${maxCorrection}, and not 0`;
const reasonRule = `must be 1 to ${maxReasonLength} characters`;
export const correctionRequest = z.strictObject({
  /** Missing for the account in the only community. */
  guildId: guildId.optional(),
  credits: z
    .int(creditsRule)
    .min(-maxCorrection, creditsRule)
    .max(maxCorrection, creditsRule)
    .refine((credits) => credits !== 0, creditsRule),
  reason: z
    .string(reasonRule)
    .trim()
    .min(1, reasonRule)
    .max(maxReasonLength, reasonRule)
    .regex(noNul, noNulRule)
    // A lone surrogate is stored differently, so that a repeat would not be recognised.
    .transform((reason) => reason.toWellFormed()),
});
export type CorrectionRequest = z.infer<typeof correctionRequest>;

const idempotencyKey = z.object({
  'Idempotency-Key': z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
});

/** The `Idempotency-Key` header, or the form field in its place. @throws HttpError 400 */
export function readIdempotencyKey(key: unknown): string {
  return parseRequest(idempotencyKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

/** @throws HttpError 400, with a sentence that names every invalid field */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown field ${issue.keys.map((key) => `"${key.slice(0, 50)}"`).join(', ')}`
      : issue.path.length === 0
        ? 'the body must be a JSON object'
        : `"${issue.path.join('.')}" ${issue.message}`,
  );
  throw new HttpError(400, `Invalid request: ${issues.join('; ')}.`);
}
