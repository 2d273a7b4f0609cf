import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { normalizeLine, normalizeText } from '@tallyhook/platform/truncate';
import { z } from 'zod';
import { categories, knownCategories, maxCategories } from '../listing/category.ts';
import { maxServers, maxShards } from '../listing/listing.ts';
import { PageError } from '../texts/page-error.ts';
import { isServiceTextIn, type ServiceTextIn, type ServiceTexts } from '../texts/texts.ts';

/** A field that is normalized, and then has 1 (or `minLength`) to `maxLength` UTF-16 units. */
const textField =
  (normalize: (text: string) => string) =>
  (maxLength: number, minLength = 1) =>
    z.string().transform(normalize).pipe(z.string().min(minLength).max(maxLength));

export const line = textField(normalizeLine);
export const paragraphs = textField(normalizeText);
export const snowflake = z.string().regex(snowflakePattern);

const ownProblems = ['stars', 'snowflake', 'secret', 'ticked'] as const satisfies ServiceTextIn<'fields'>[];

/** The message of a schema: the name of a text, which {@link readForm} shows in the visitor's language. */
export const problem = (name: (typeof ownProblems)[number]): string => name;

// The forms of the pages. The HTML has the same limits, so only clients other than browsers exceed them.
export const reviewForm = z.object({
  rating: z.coerce.number(problem('stars')).int().min(1).max(5),
  comment: paragraphs(1_000),
});

export const actAsForm = z.object({ userId: z.string().regex(snowflakePattern, problem('snowflake')) });

export const listingForm = z.object({
  name: line(100),
  description: paragraphs(2_000, 0),
  tags: z
    .string()
    .max(500)
    .transform((text) => [...new Set(text.split(',').map(normalizeLine))].filter((tag) => tag !== ''))
    .pipe(z.array(z.string().max(30)).max(10)),
  // A form sends no list for one choice, and nothing for none.
  categories: z
    .union([z.string().transform((name) => [name]), z.array(z.string())])
    .default([])
    .transform((names) => [...knownCategories(names)])
    .pipe(z.array(z.enum(categories)).max(maxCategories)),
});

export const inviteForm = z.object({ invite: line(500, 0) });

export const serverForm = z.object({
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

export const botForm = z.object({
  servers: z.coerce.number().int().min(0).max(maxServers),
  shards: z.coerce.number().int().min(1).max(maxShards),
});

export const newListingForm = z.object({
  id: z.string().trim().regex(snowflakePattern, problem('snowflake')),
  name: line(100),
  description: paragraphs(2_000, 0).default(''),
});

/** A server whose owner has proven it on Discord, so its name is known. */
export const provenServerForm = z.object({ id: snowflake });

export const webhookForm = z.object({
  url: line(500),
  secret: z
    .string()
    .trim()
    .regex(/^(|[\x21-\x7e]{16,200})$/, problem('secret'))
    .default('')
    .transform((secret) => (secret === '' ? undefined : secret)),
});

export const replyForm = z.object({ reply: paragraphs(1_000) });

export const keyForm = z.object({ label: line(60) });

/** @throws PageError 400 that names the first invalid field */
export function readForm<Form extends z.ZodObject>(form: Form, body: unknown): z.infer<Form> {
  const parsed = form.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  throw new PageError(400, (texts) => {
    const { text } = texts;
    const label = labels[name] ?? name;
    const field = isServiceTextIn('fields.names', label)
      ? text(`fields.names.${label}`)
      : text('fields.unknownName', { name });
    return text('fields.check', {
      field,
      problem: issue === undefined ? text('fields.invalid') : explain(issue, texts),
    });
  });
}

/** Fields whose label is that of another. */
const labels: Readonly<Record<string, string>> = { listingId: 'id', userId: 'id', categories: 'category' };

function explain(issue: z.core.$ZodIssue, texts: ServiceTexts): string {
  const { text } = texts;
  if (issue.code === 'too_small') {
    return issue.origin === 'string' ? text('fields.empty') : text('fields.least', { number: Number(issue.minimum) });
  }
  if (issue.code === 'too_big') {
    const number = Number(issue.maximum);
    if (issue.origin === 'array') return text('fields.tooMany', { number });
    if (issue.origin !== 'string') return text('fields.most', { number });
    return text(issue.path.length > 1 ? 'fields.oneTooLong' : 'fields.tooLong', { number });
  }
  const own = ownProblems.find((each) => each === issue.message);
  return text(
    own === undefined ? (issue.code === 'invalid_type' ? 'fields.missing' : 'fields.invalid') : `fields.${own}`,
  );
}

/** The page to open after signing in: only paths of this service, so that a link cannot redirect to another site. */
export const nextPath = z
  .string()
  .max(200)
  .regex(/^\/(?:[\w-][\w/-]*)?(?:#[a-z-]+)?$/)
  .catch('/');
