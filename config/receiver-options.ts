import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { checkOptions } from '@tallyhook/platform/options';
import { z } from 'zod';
import { codeOptions, hintForHandlers, hintForOption, receiverHandlers } from './code-options.ts';
import { hintForReceiverListings, receiverListings, toReceiverListings } from './receiver-listings.ts';
import type { ListingConfig } from './schema.ts';

/** The value of `database` for a temporary file. */
export const temporaryDatabase = ':memory:';

const expectedPath = 'it must be the path of a file';

/** The path of a SQLite file, which may be written as in `DATABASE_URL`. */
const database = z
  .string(expectedPath)
  .transform((text) => text.replace(/^sqlite:/, ''))
  .refine((path) => path.trim() !== '' && !/^\w+:\/\//.test(path), expectedPath);

const receiverOptions = z.strictObject({
  listings: receiverListings,
  database,
  handlers: receiverHandlers.optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  siteApiUrl: z.url({ protocol: /^https?$/, error: 'it must be an http(s) address' }).optional(),
  ...codeOptions,
});

/**
 * Checks the options of `createReceiver`, and completes its listings. The path of the database is null for a temporary
 * file.
 * @throws InvalidConfigError with all issues
 */
export function readReceiverOptions(options: unknown): {
  readonly listings: readonly ListingConfig[];
  readonly path: string | null;
} {
  const caller = 'createReceiver';
  const { database: path, listings: parsed } = checkOptions(caller, options, receiverOptions, (path) =>
    hintFor(path, options),
  );
  const issues: ConfigIssue[] = [];
  const listings = toReceiverListings(parsed, issues);
  if (issues.length > 0) throw new InvalidConfigError(issues, caller);
  return { listings, path: path === temporaryDatabase ? null : path };
}

function hintFor(path: readonly (string | number)[], options: unknown): string {
  const [option, name] = path;
  switch (option) {
    case undefined:
      return "Pass an object, such as { listings: […], database: 'votes.db' }.";
    case 'listings':
      return hintForReceiverListings(path, options);
    case 'database':
      return "Write the path of a SQLite file, such as database: 'votes.db', or database: ':memory:' for a test, which forgets all votes when it stops. For a database server, use createApp with roles: ['receive'].";
    case 'handlers':
      return name === 'onPurchase' || name === 'onReview'
        ? 'Only the bot (createApp) calls it.'
        : hintForHandlers(name, receiverHandlers);
    default:
      return hintForOption(option, receiverHandlers);
  }
}
