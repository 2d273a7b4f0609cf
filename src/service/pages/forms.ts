import { z } from 'zod';
import { snowflakePattern } from '../../platform/snowflake.ts';
import { normalizeLine, normalizeText } from '../../platform/truncate.ts';
import { HttpError } from '../../platform/web/http-error.ts';

/** A field of one line: normalized, then 1 (or `minLength`) to `maxLength` UTF-16 units. */
export const line = (maxLength: number, minLength = 1) =>
  z.string().transform(normalizeLine).pipe(z.string().min(minLength).max(maxLength));

/** A field of several lines: normalized, then 1 (or `minLength`) to `maxLength` UTF-16 units. */
export const paragraphs = (maxLength: number, minLength = 1) =>
  z.string().transform(normalizeText).pipe(z.string().min(minLength).max(maxLength));

// The forms of the pages. The HTML has the same limits, so only clients other than browsers exceed them.
export const reviewForm = z.object({
  rating: z.coerce.number('They must be 1 to 5.').int().min(1).max(5),
  comment: paragraphs(1_000),
});

export const actAsForm = z.object({ userId: z.string().regex(snowflakePattern, 'It has 1 to 20 digits.') });

export const listingForm = z.object({
  name: line(100),
  description: paragraphs(2_000, 0),
  tags: z
    .string()
    .max(500)
    .transform((text) => [...new Set(text.split(',').map(normalizeLine))].filter((tag) => tag !== ''))
    .pipe(z.array(z.string().max(30)).max(10)),
});

/** The fields that only servers have. */
export const serverForm = z.object({
  category: line(40),
  rules: z
    .string()
    .max(8_000)
    .transform((text) =>
      text
        .split('\n')
        .map(normalizeLine)
        .filter((rule) => rule !== ''),
    )
    .pipe(z.array(z.string().max(300)).max(25)),
});

/** The fields that only bots have. */
export const botForm = z.object({
  servers: z.coerce.number().int().min(0).max(100_000_000),
  shards: z.coerce.number().int().min(1).max(100_000),
});

export const newListingForm = z.object({
  id: z.string().trim().regex(snowflakePattern, 'It has 1 to 20 digits.'),
  name: line(100),
  description: paragraphs(2_000, 0).default(''),
});

/** A server whose owner has proven it on Discord, so its name is known. */
export const provenServerForm = z.object({ id: z.string().regex(snowflakePattern) });

export const webhookForm = z.object({
  url: line(500),
  secret: z
    .string()
    .trim()
    .regex(/^(|[\x21-\x7e]{16,200})$/, 'It must be 16 to 200 letters, digits and signs without spaces, or empty.')
    .default('')
    .transform((secret) => (secret === '' ? undefined : secret)),
});

export const replyForm = z.object({ reply: paragraphs(1_000) });

export const keyForm = z.object({ label: line(60) });

/** @throws HttpError 400 that names the first invalid field */
export function readForm<Form extends z.ZodObject>(form: Form, body: unknown): z.infer<Form> {
  const parsed = form.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = fieldNames[String(issue?.path[0])] ?? `the field "${String(issue?.path[0])}"`;
  throw new HttpError(400, `Please check ${name}: ${issue === undefined ? 'it cannot be read.' : explain(issue)}`);
}

/** As the labels of the forms call them. */
const fieldNames: Readonly<Record<string, string>> = {
  id: 'the Discord id',
  listingId: 'the Discord id',
  userId: 'the Discord id',
  name: 'the name',
  description: 'the description',
  tags: 'the tags',
  category: 'the category',
  rules: 'the rules',
  servers: 'the number of servers',
  shards: 'the number of shards',
  url: 'the URL',
  secret: 'the secret',
  label: 'the name of the key',
  rating: 'the stars',
  comment: 'the comment',
  reply: 'the reply',
  reason: 'the reason',
  text: 'the text',
  confirm: 'the box',
};

function explain(issue: z.core.$ZodIssue): string {
  const ofList = issue.path.length > 1;
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'it is empty.' : `the least is ${issue.minimum}.`;
  if (issue.code === 'too_big') {
    if (issue.origin === 'array') return `there are more than ${issue.maximum}.`;
    if (issue.origin !== 'string') return `the most is ${issue.maximum}.`;
    return `${ofList ? 'one of them' : 'it'} has more than ${issue.maximum} characters.`;
  }
  if (issue.code === 'invalid_type') return 'it is missing.';
  // Messages of this service end in a full stop, those of zod do not.
  return issue.message.endsWith('.') ? issue.message : 'it is not valid.';
}

/** The page to open after signing in: only paths of this service, so that a link cannot redirect to another site. */
export const nextPath = z
  .string()
  .max(200)
  .regex(/^\/(?:[\w-][\w/-]*)?$/)
  .catch('/');
