import { closest } from '@tallyhook/platform/did-you-mean';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { callback, checkOptions, clock, log } from '@tallyhook/platform/options';
import { valueAt } from '@tallyhook/platform/parse-parts';
import { z } from 'zod';
import type { WeekdayName } from '../src/core/settings/reward-settings.ts';
import { rateAlarmRule } from '../src/features/rate-alarms/store.ts';
import { rolesNamedBy } from '../src/features/settings.ts';
import type { KnownSite } from '../src/webhook/sites/site.ts';
import { readValues } from './environment.ts';
import { guildIdsOf, toListings } from './listings.ts';
import { listing as fileListing, rewards as fileRewards, listOf, siteIssues, siteOf } from './listings-file.ts';
import { unsetHint } from './load.ts';
import type { ListingConfig, ListingSource } from './schema.ts';

/** Options of `createApp` and `createReceiver` beside settings. */
export const codeOptions = {
  onRecorded: callback.optional(),
  log: log.optional(),
  clock: clock.optional(),
};

const receiverHandlers = z.strictObject({
  onVote: callback.optional(),
  onPremium: callback.optional(),
  onStreak: callback.optional(),
  onMilestone: callback.optional(),
  concurrency: z.int().min(1).max(100).optional(),
});

export function hintForHandlers(name: string | number | undefined, handlers: z.ZodObject): string {
  if (name !== undefined && name in handlers.shape) return 'Correct or remove it.';
  return `The options of handlers are ${Object.keys(handlers.shape).join(', ')}.`;
}

/** Purchases and reviews need the bot. */
export const appHandlers = receiverHandlers.extend({ onPurchase: callback.optional(), onReview: callback.optional() });

export function hintForOption(name: string | number, handlers: z.ZodObject): string {
  const meant = closest(String(name), Object.keys(handlers.shape));
  return meant === undefined ? 'Correct or remove it.' : `Did you mean handlers.${meant}? Pass handlers: { ${meant} }.`;
}

export function hintForListings(path: readonly (string | number)[], options: unknown): string {
  const [, index, field = ''] = path;
  const listed = valueAt(options, ['listings']);
  if (index === undefined && Array.isArray(listed) && listed.length > 1) return 'Give each listing a name of its own.';
  if (index === undefined) return 'List each server or bot with its secrets.';
  if (!['voteSecrets', 'premiumSecrets', 'voteAuthorization', 'lookupKey'].includes(String(field)))
    return 'Correct it.';
  if (String(field).endsWith('Secrets') && typeof valueAt(options, path) === 'string' && path.length === 3)
    return `Write a list, also of a single secret: ${field}: ['…'].`;
  const name = valueAt(options, ['listings', index, 'name']);
  const listing = typeof name === 'string' ? ` of the listing ${JSON.stringify(name)}` : '';
  const what = field === 'lookupKey' ? 'the API key' : 'a secret';
  return `Set it to ${what}${listing}. ${unsetHint}`;
}

/** Rewards of votes and premium. Amounts are whole credits. Roles and parties need the bot. @category Start here */
export interface ReceiverRewards {
  /** Per vote, if the delivery contains no number; 10 by default. */
  readonly vote?: number;
  /** Per purchase and renewal; 100 by default. */
  readonly premium?: number;
  /** For a vote whose credits the service denies; 0 by default. */
  readonly whenDenied?: number;
  /** All that apply at the time of a vote are multiplied. Times are ISO 8601 with a time zone. */
  readonly multipliers?: readonly {
    readonly factor: number;
    readonly days?: readonly WeekdayName[];
    readonly from?: string;
    readonly until?: string;
  }[];
  /** Credits for each `every` successive calendar days; `forgive` missed days in any seven do not break a streak. */
  readonly streak?: { readonly every: number; readonly credits: number; readonly forgive?: number };
  /** Credits for numbers of counted votes: once for `votes`, in each week or month with `per`, or for every multiple of `everyVotes`. */
  readonly milestones?: readonly ({ readonly credits: number } & (
    | { readonly votes: number; readonly per?: 'week' | 'month' }
    | { readonly everyVotes: number }
  ))[];
  /** For voting on all listings of the community in one calendar day. */
  readonly allListings?: number;
  /** For a member's first vote of a calendar day, on any listing of the community. */
  readonly firstVote?: number;
  /** Credits that each vote wins with a chance from 0 to 1; the names must differ. */
  readonly luck?: readonly { readonly chance: number; readonly credits: number; readonly name: string }[];
  /** `true` multiplies votes by how often they count at their site, at most by 4. */
  readonly weight?: boolean;
}

/**
 * A site whose deliveries carry the secret in a header, or are signed. Paths are names of fields joined by dots: `user.id`.
 * @category Start here
 */
export interface CustomSite {
  readonly name: string;
  /** Address of its vote page; `{id}` and `{slug}` are replaced. */
  readonly page?: string;
  /** The header whose value is the secret; `authorization` by default. */
  readonly header?: string;
  /** How deliveries are signed with the secret, in place of `header`. In `signed`, by default `{body}`, are `{body}` and `{timestamp}`. */
  readonly signature?:
    | { readonly scheme: 'standard-webhooks' }
    | {
        readonly scheme: 'hmac-sha256';
        readonly header: string;
        readonly prefix?: string;
        readonly encoding?: 'hex' | 'base64';
        readonly signed?: string;
        readonly timestamp?: { readonly header: string; readonly unit: 's' | 'ms' };
      };
  /** Path of the voter's Discord ID. */
  readonly user: string;
  /** Path of the Discord ID of the server or bot. */
  readonly target?: string;
  /** Field and value of the body of a test. */
  readonly test?: { readonly field: string; readonly is: string | boolean };
  /** Field and value of the body of a vote; bodies with another text there are ignored. */
  readonly vote?: { readonly field: string; readonly is: string | boolean };
  /** Path of the time of the vote, in ISO 8601. */
  readonly time?: string;
  /** Path of the site's own ID of the vote. */
  readonly id?: string;
}

/** A server or bot on the listing service, as in the file of `TALLYHOOK_CONFIG`. @category Start here */
export interface ReceiverListing {
  /** Permanent name in the ledger: at most 32 letters, digits, dots, dashes and underscores. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** The listing site, such as `topgg`; by default the one with the lookup API. Others send to `/webhooks/<name>`. */
  readonly site?: KnownSite | (string & {});
  /** The site's API token. */
  readonly siteKey?: string;
  /** The name of the listing at the site, where the address of its vote page needs it. */
  readonly slug?: string;
  /** Asks the site whether the member has voted before a vote is paid. */
  readonly confirm?: boolean;
  /** Description of a site that tallyhook does not know, for the site `custom`. */
  readonly custom?: CustomSite;
  /** Discord ID. Required if several listings of the same kind share a secret. */
  readonly id?: string;
  /** Discord ID of the guild whose members have the accounts; by default the listed server. */
  readonly guildId?: string;
  /** IANA name, for calendar days; UTC by default. */
  readonly timeZone?: string;
  /** Secrets of its vote webhooks. All of them are valid, for rotation. */
  readonly voteSecrets?: readonly string[];
  readonly premiumSecrets?: readonly string[];
  /** Accepts unsigned server votes with exactly this header `Authorization`. */
  readonly voteAuthorization?: string;
  /** `true`: its secrets are valid at its own address only, `/webhooks/<name>`, and not at the shared ones. */
  readonly ownAddress?: boolean;
  /** Hours between two votes that count; by default those of the site, which are 12 for most. */
  readonly cooldownHours?: number;
  readonly rewards?: ReceiverRewards;
}

const rewards = fileRewards.pick({
  vote: true,
  premium: true,
  whenDenied: true,
  allListings: true,
  firstVote: true,
  luck: true,
  weight: true,
  multipliers: true,
  streak: true,
  milestones: true,
} satisfies Record<keyof ReceiverRewards, true>);

const listing = fileListing
  .pick({
    name: true,
    kind: true,
    id: true,
    guildId: true,
    timeZone: true,
    cooldownHours: true,
    site: true,
    siteKey: true,
    slug: true,
    confirm: true,
    custom: true,
    voteSecrets: true,
    premiumSecrets: true,
    voteAuthorization: true,
    ownAddress: true,
  })
  .extend({ rewards: rewards.optional() });

const receiverListings = listOf(
  listing.refine(
    (each) =>
      each.voteSecrets.length + each.premiumSecrets.length > 0 ||
      each.voteAuthorization !== undefined ||
      siteOf(each) !== undefined,
    'it has no secret, so it accepts nothing',
  ),
);

const needsBot = 'Roles, parties, announcements, the shop and lookups need the bot (createApp).';

function hintForReceiverListings(path: readonly (string | number)[], options: unknown): string {
  const [, , field = '', part] = path;
  const [ofBot, own] =
    field === 'rewards' && part !== undefined ? [fileRewards.shape, rewards.shape] : [fileListing.shape, listing.shape];
  const name = part ?? field;
  return name in ofBot && !(name in own) ? `Remove it. ${needsBot}` : hintForListings(path, options);
}

/**
 * The listings of a receiver with everything that they leave out, and without rate alarms: a receiver has no owner to
 * decide. Contradictions are added to `issues`.
 */
function toReceiverListings(
  parsed: z.output<typeof receiverListings>,
  issues: ConfigIssue[],
): readonly ListingConfig[] {
  const { values } = readValues({});
  const guildIds = guildIdsOf(parsed, undefined);
  const sources = parsed.map((listing, index): ListingSource => {
    const setting = `listings[${index}]`;
    return { origin: 'file', setting, listing, implied: false, guildId: guildIds[index] ?? null };
  });
  const listings = toListings(sources, values, issues);
  issues.push(...sources.flatMap(({ listing, setting }, index) => siteIssues(listing, setting, index)));
  for (const [index, listing] of listings.entries()) {
    if (rolesNamedBy(listing).length === 0) continue;
    const hint = `Give roles in a handler instead. ${needsBot}`;
    const path = ['listings', index, 'rewards'];
    issues.push({ setting: `listings[${index}].rewards`, problem: 'gives or requires a role.', hint, path });
  }
  return listings.map((each) => ({ ...each, rewards: { ...each.rewards, ...rateAlarmRule.as(false) } }));
}

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
    hintForReceiver(path, options),
  );
  const issues: ConfigIssue[] = [];
  const listings = toReceiverListings(parsed, issues);
  if (issues.length > 0) throw new InvalidConfigError(issues, caller);
  return { listings, path: path === temporaryDatabase ? null : path };
}

function hintForReceiver(path: readonly (string | number)[], options: unknown): string {
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
