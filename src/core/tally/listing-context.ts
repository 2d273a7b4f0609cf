import { isObject, parseJson } from '@tallyhook/platform/json';
import type { CommunityId } from '../ledger/account.ts';
import type { SubscribedKind } from '../outbox/handler-events.ts';
import type { ListingRewards } from '../rewards/rules.ts';
import type { CommunityContext } from './community.ts';

/** The part of a configured listing that recording an event needs. */
export interface ListingContext {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord ID of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
  /** The other site that it is on; missing for the document's service. */
  readonly siteId?: string;
  readonly rewards: ListingRewards;
  readonly community: CommunityContext;
  readonly announced: AnnouncedEvents;
  /** Channel for announcements of votes; null for none. */
  readonly announceChannelId: string | null;
  /** Channel for announcements of premium events; null for none. */
  readonly premiumChannelId: string | null;
  /** The kinds of handlers that are called for its events, and whether they are streamed; none by default. */
  readonly handled?: readonly SubscribedKind[];
}

/**
 * Events of a listing that are announced as they are recorded. Tests are announced in any case. Features add theirs,
 * see {@link AddedValue}, and their settings with this `event` say whether it is on.
 */
export interface AnnouncedEvents {
  /** Every vote. Otherwise only those that reach a milestone, if milestones are announced. */
  readonly votes: boolean;
  readonly milestones: boolean;
  readonly premium: boolean;
}

/**
 * Which listing a secret belonged to when it authenticated a delivery: its community, its site and its server or bot. Names
 * alone identify nothing for longer than a configuration lasts.
 */
export interface ListingIdentity {
  readonly name: string;
  readonly communityId: CommunityId;
  readonly guildId: string | null;
  /** Null for the document's service. */
  readonly siteId: string | null;
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
}

type IdentifiedListing = Pick<ListingContext, 'name' | 'kind' | 'id' | 'siteId' | 'community'> & {
  readonly site?: { readonly id: string };
};

export function identityOf({ name, kind, id, community, siteId, site }: IdentifiedListing): ListingIdentity {
  const { id: communityId, guildId } = community;
  return { name, communityId, guildId, siteId: siteId ?? site?.id ?? null, kind, id };
}

/**
 * True if a configured listing is the one of a delivery that was received earlier: the same server or bot, on the same site,
 * in the same community. It may have another name; where the id of one of the two is not known, it has the same name.
 */
export function isSameListing(identity: ListingIdentity, listing: IdentifiedListing): boolean {
  const current = identityOf(listing);
  const isUnknown = identity.guildId === null || current.guildId === null;
  const isSameCommunity =
    identity.communityId === current.communityId && (isUnknown || identity.guildId === current.guildId);
  if (!isSameCommunity || identity.siteId !== current.siteId || identity.kind !== current.kind) return false;
  return identity.id === null || current.id === null ? identity.name === current.name : identity.id === current.id;
}

/** The column `deliveries.origin`. */
export function serializeIdentities(identities: readonly ListingIdentity[]): string {
  return JSON.stringify(identities);
}

/**
 * The identities in the column `deliveries.origin`: null for a delivery that was never quarantined, and none for a text
 * that is not valid.
 */
export function parseIdentities(text: string | null): readonly ListingIdentity[] | null {
  if (text === null) return null;
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter(isIdentity) : [];
}

function isIdentity(value: unknown): value is ListingIdentity {
  if (!isObject(value)) return false;
  const { name, communityId, guildId, siteId, kind, id } = value;
  const isTextOrNull = [guildId, siteId, id].every((each) => each === null || typeof each === 'string');
  return (
    typeof name === 'string' && typeof communityId === 'number' && isTextOrNull && (kind === 'server' || kind === 'bot')
  );
}
