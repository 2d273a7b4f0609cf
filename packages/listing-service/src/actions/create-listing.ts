import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { normalizeLine, normalizeText } from '@tallyhook/platform/truncate';
import { wasHidden } from '../abuse/moderate.ts';
import type { BotFacts, Listing, ServerFacts, ServiceListingKind } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { deleteWebhook, forgetWebhookUrls } from '../storage/deliveries/webhooks.ts';
import { removeAllCoOwners } from '../storage/listings/co-owners.ts';
import { deleteUnpublishedBot } from '../storage/listings/delete-listing.ts';
import { issueKey, revokeAllKeys } from '../storage/listings/keys.ts';
import { changeOwner, countListingsOfOwner, insertListing } from '../storage/listings/listings.ts';
import { lockMember } from '../storage/members/members.ts';
import { findProvenGuild } from '../storage/members/proven-guilds.ts';
import type { ListingState } from '../storage/tables.ts';

export const maxListingsOfOwner = 25;

export const defaultServerFacts: ServerFacts = {
  category: 'Community',
  features: [],
  emojis: [],
  channelCount: 0,
  roleCount: 0,
  rules: [],
  members: 0,
  online: 0,
};

/** A listing to be created. All properties but kind, id and name have defaults. */
export interface NewListing {
  readonly kind: ServiceListingKind;
  readonly discordId: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly ownerId?: string;
  readonly facts?: Partial<ServerFacts & BotFacts>;
}

/** Creates a listing with its first key, for the operator. @throws TallyhookError `invalid_listing`, `listed_already` */
export function createListing(
  database: Database,
  input: NewListing,
  now: number,
): Promise<{ listing: Listing; key: string }> {
  const listing = newListing(input, now);
  return database.transaction().execute(async (sql) => {
    if (!(await insertListing(sql, listing))) {
      throw new TallyhookError('listed_already', `The listing "${listing.id}" already exists.`, {
        hint: 'Use another id, or edit the listing on its dashboard.',
      });
    }
    return { listing, key: await issueKey(sql, listing, 'First key', now) };
  });
}

function newListing(input: NewListing, now: number): Listing {
  const { kind, discordId: id, ownerId = '0', tags = [] } = input;
  if (!isSnowflake(id)) {
    throw new TallyhookError('invalid_listing', 'The Discord id of a listing must be 1 to 20 digits.');
  }
  const name = normalizeLine(input.name);
  if (name === '') throw new TallyhookError('invalid_listing', 'A listing needs a name with visible characters.');
  const texts = { name, description: normalizeText(input.description ?? ''), tags: tags.map(normalizeLine) };
  const base = { id, ...texts, ownerId, createdAt: now };
  const { servers = 0, shards = 1, ...facts } = input.facts ?? {};
  return kind === 'bot'
    ? { ...base, kind, facts: { servers, shards } }
    : { ...base, kind, facts: { ...defaultServerFacts, ...facts } };
}

/**
 * `created-pending`: it waits for an operator. `listed`: there is a listing with this id. `too-many`: the owner has {@link
 * maxListingsOfOwner} listings.
 */
export type CreateOutcome = 'created' | 'created-pending' | 'listed' | 'too-many';

/**
 * Creates a listing for its owner, without a key. One that an operator has hidden waits for an operator when it is listed
 * again. Anybody may add a bot with any id, so a bot that no operator has published keeps nobody from using its id: a
 * server, whose owner has proven it, replaces it, and a bot replaces one that an operator has rejected.
 */
export function createOwnersListing(
  database: Database,
  listing: Listing,
  state: Extract<ListingState, 'published' | 'pending'>,
): Promise<CreateOutcome> {
  return database.transaction().execute(async (sql) => {
    await lockMember(sql, listing.ownerId);
    if ((await countListingsOfOwner(sql, listing.ownerId)) >= maxListingsOfOwner) return 'too-many';
    const stateNow = (await wasHidden(sql, listing.id)) ? 'pending' : state;
    const insert = () => insertListing(sql, listing, stateNow);
    const replaced = listing.kind === 'server' ? (['pending', 'hidden'] as const) : (['hidden'] as const);
    if (!(await insert()) && !((await deleteUnpublishedBot(sql, listing.id, replaced)) && (await insert()))) {
      return 'listed';
    }
    return stateNow === 'pending' ? 'created-pending' : 'created';
  });
}

/**
 * Gives the listing of a server to the member who owns the server on Discord, as proven within the last hour; a
 * permission such as "Manage Server" does not suffice. Votes and reviews remain. Co-owners are removed, the keys revoked and
 * the webhooks deleted, since the former owner knows them, and so are the addresses in the log of their deliveries.
 * @param now ms since the epoch
 * @returns false without such a proof or listing, or if the member owns the listing already
 */
export function takeOverListing(database: Database, listingId: string, userId: string, now: number): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    const guild = await findProvenGuild(sql, userId, listingId, now);
    if (!guild?.isOwner) return false;
    if (!(await changeOwner(sql, listingId, userId))) return false;
    await removeAllCoOwners(sql, listingId);
    await revokeAllKeys(sql, listingId, now);
    await deleteWebhook(sql, listingId, 'vote');
    await deleteWebhook(sql, listingId, 'premium');
    await forgetWebhookUrls(sql, listingId);
    return true;
  });
}
