import { z } from 'zod';
import { maxCorrection, maxReasonLength } from '../ledger/correction.ts';
import { isOnCalendar } from '../platform/clock.ts';
import { outcomes } from '../tally/tally.ts';
import { HttpError } from './http-error.ts';

const id = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);
const userId = z.string('must be 1 to 20 digits').regex(/^\d{1,20}$/, 'must be 1 to 20 digits');
/** PostgreSQL takes no such text. */
const withoutNul = /^[^\0]*$/;
const nulRule = 'must not hold U+0000';
const words = z
  .string('must stand there once')
  .trim()
  .max(100, 'must be at most 100 characters')
  .regex(withoutNul, nulRule);

/** An empty field of a form asks for nothing. */
function optional<Value extends z.ZodType>(value: Value) {
  return z.preprocess((given) => (given === '' ? undefined : given), value.nullable().default(null));
}

const states = ['waiting', 'done', 'buried'] as const;
const instant = z
  .string('must stand there once')
  .regex(
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/,
    'must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00Z',
  )
  .refine((text) => isOnCalendar(text.slice(0, 10)), 'must be a date that exists')
  // Without a zone it is UTC, as all times are that are shown.
  .transform((text) => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((at) => !Number.isNaN(at), 'must be a date that exists');

function page(usual: number) {
  const limit = id.refine((count) => count >= 1 && count <= 500, 'must be 1 to 500').default(usual);
  return { limit: z.preprocess((given) => (given === '' ? undefined : given), limit), before: optional(id) };
}

/** How many rows of a list are answered unless it is said. */
const usualPage = 50;

export const idParameter = z.object({ id });
export const userParameter = z.object({ userId });
/** `limit` is 1 to 500, 50 unless it is said; `before` is the id of a row, or null. */
export const pageQuery = z.strictObject(page(usualPage));
/** Besides the page: what is not said, or empty, is null; `since` and `until` become ms since the epoch. */
export const deliveriesQuery = z.strictObject({
  ...page(usualPage),
  outcome: optional(z.enum(outcomes, `must be ${outcomes.join(', ')}`)),
  kind: optional(words),
  listing: optional(words),
  user: optional(userId),
  since: optional(instant),
  until: optional(instant),
});
export const effectsQuery = z.strictObject({
  ...page(usualPage),
  state: optional(z.enum(states, `must be ${states.join(', ')}`)),
});

const creditsRule = `must be a whole number from -${maxCorrection} to ${maxCorrection}, and not 0`;
const reasonRule = `must be 1 to ${maxReasonLength} characters`;
export const correctionRequest = z.strictObject({
  credits: z
    .int(creditsRule)
    .min(-maxCorrection, creditsRule)
    .max(maxCorrection, creditsRule)
    .refine((credits) => credits !== 0, creditsRule),
  reason: z.string(reasonRule).trim().min(1, reasonRule).max(maxReasonLength, reasonRule).regex(withoutNul, nulRule),
});
export type CorrectionRequest = z.infer<typeof correctionRequest>;

/** The header `Idempotency-Key`, or the field of a form that stands for it. */
export const idempotencyKey = z.object({
  'Idempotency-Key': z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
});

/** @throws Refused 400, with a sentence that names every field at fault */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `${issue.keys.map((key) => `"${key.slice(0, 50)}"`).join(', ')} is not known here`
      : issue.path.length === 0
        ? 'a JSON object is wanted'
        : `"${issue.path.join('.')}" ${issue.message}`,
  );
  throw new HttpError(400, `This cannot be: ${faults.join('; ')}.`);
}
