import { z } from 'zod';
import type { DescribedSite } from '../../webhook/sites/described-site.ts';
import { breaks, rule } from './rules.ts';

const path = z
  .string()
  .regex(
    /^[^.\s]+(\.[^.\s]+)*$/,
    breaks(rule('fieldPath'), 'it must be names of fields joined by dots, such as user.id'),
  );
const condition = z.strictObject({
  field: path.describe('Path of a field in the body.'),
  is: z.union([z.string().min(1), z.boolean()]).describe('Its value: a text, `true` or `false`.'),
});

const header = z.string().regex(/^[\w-]{1,64}$/, breaks(rule('header'), 'it must be the name of a header'));

const hmac = z
  .strictObject({
    scheme: z.literal('hmac-sha256'),
    header: header.describe('The header with the signature.'),
    prefix: z.string().min(1).max(64).optional().describe('What precedes the digest there, such as `sha256=`.'),
    encoding: z.enum(['hex', 'base64']).optional().describe('Of the digest; `hex` otherwise.'),
    signed: z
      .string()
      .max(200)
      .refine((text) => text.split('{body}').length === 2, 'it must contain {body} once')
      .refine((text) => !/\{(?!(?:body|timestamp)\})/.test(text), 'it knows {body} and {timestamp} alone')
      .optional()
      .describe('What is signed: a text with `{body}` and perhaps `{timestamp}`, such as `{timestamp}.{body}`.'),
    timestamp: z
      .strictObject({ header, unit: z.enum(['s', 'ms']) })
      .optional()
      .describe('The header with the signed time, and its `unit`, `s` or `ms` since the epoch.'),
  })
  .refine(({ signed = '', timestamp }) => timestamp !== undefined || !signed.includes('{timestamp}'), {
    path: ['timestamp'],
    error: 'signed contains {timestamp}, so state the header that has it, and its unit',
  })
  .refine(({ signed = '', timestamp }) => timestamp === undefined || signed.includes('{timestamp}'), {
    path: ['signed'],
    error: 'it must contain {timestamp}, because the time of timestamp.header is worth nothing unless it is signed',
  })
  .refine((described) => described.timestamp?.header.toLowerCase() !== described.header.toLowerCase(), {
    path: ['timestamp', 'header'],
    error: 'it must be another header than that of the signature',
  });

const signature = z
  .discriminatedUnion('scheme', [z.strictObject({ scheme: z.literal('standard-webhooks') }), hmac])
  .describe(
    'How deliveries are [signed](sites.md#what-the-site-says-and-what-to-set); without it they carry the secret.',
  );

const nameError = breaks(rule('length', { min: 1, max: 80 }), 'it must have 1 to 80 characters');

/** The value of `custom` in the file, and of the description that `/setup` stores. */
export const custom = z
  .strictObject({
    name: z.string().min(1, nameError).max(80, nameError).describe('Shown to members.'),
    page: z
      .url({ protocol: /^https$/, error: 'it must be an https address' })
      .optional()
      .describe('Address of the vote page; `{id}` and `{slug}` are replaced.'),
    header: header.optional().describe('The header whose value is the secret; `authorization` otherwise.'),
    signature: signature.optional(),
    user: path.describe("Path of the voter's Discord id in the body: `user.id`."),
    target: path.optional().describe('Path of the Discord id of the server or bot.'),
    test: condition.optional().describe('What the body of a test has: a `field`, and what it `is`.'),
    vote: condition.optional().describe('The same of a vote. Bodies with another value there are ignored.'),
    time: path.optional().describe('Path of the time of the vote, in ISO 8601.'),
    id: path.optional().describe("Path of the site's own id of the vote."),
  })
  .refine((described) => described.header === undefined || described.signature === undefined, {
    path: ['header'],
    error: 'it is for a secret in a header, and signature has a header of its own: remove one of them',
  })
  .transform(({ page = null, ...described }): DescribedSite => ({ page, ...described }))
  .describe('Description of a site that tallyhook does not know, for the site `custom`.');
