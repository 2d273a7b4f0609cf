import type { FormerLink, ListingConfig } from '../../../config/schema.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import type { ListingWithSecrets } from '../../core/receiving/listing.ts';
import type { Milestone } from '../../core/rewards/rules.ts';
import type { SettingSpec } from '../../core/settings/setting-spec.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { AnnouncedEvents } from '../../core/tally/listing-context.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { ListingKind } from '../../lookup/lookup.ts';
import { settings } from '../settings.ts';
import type { FindCommunityId } from './community-ids.ts';

/** The Discord id of the server or bot of a listing, as far as it is known; null otherwise. */
export type FindTargetId = (listing: Pick<ListingConfig, 'name' | 'id' | 'lookupKey'>) => string | null;

/** The part of a listing that says which server or bot it is. @internal */
type ComparedListing = Pick<ListingConfig, 'name' | 'kind' | 'id' | 'lookupKey' | 'site'>;

export const configuredId: FindTargetId = ({ id }) => id;

/**
 * Listings of one guild by the server or bot that they are: those of one kind with the same id or the same API key. Of
 * several, those with an API key are first, because the first one represents the others.
 * @internal
 */
export function groupByTarget<Listing extends ComparedListing>(
  listings: readonly Listing[],
  targetIdOf: FindTargetId,
): readonly (readonly Listing[])[] {
  const groups = new Set<Listing[]>();
  const byMark = new Map<string, Listing[]>();
  for (const listing of listings) {
    const marks = marksOf(listing, targetIdOf);
    const found = new Set(marks.flatMap((mark) => [byMark.get(mark) ?? []].filter((group) => group.length > 0)));
    const group = [...[...found].flat(), listing];
    for (const merged of found) groups.delete(merged);
    groups.add(group);
    for (const member of group) for (const mark of marksOf(member, targetIdOf)) byMark.set(mark, group);
  }
  return [...groups].map((group) =>
    group.toSorted((a, b) => Number(a.lookupKey === null) - Number(b.lookupKey === null)),
  );
}

function marksOf(listing: ComparedListing, targetIdOf: FindTargetId): string[] {
  // One bot on several sites is several listings.
  const kind = listing.site === undefined ? listing.kind : `${listing.site.id} ${listing.kind}`;
  const { lookupKey } = listing;
  const id = targetIdOf(listing);
  return [...(id === null ? [] : [`${kind} id ${id}`]), ...(lookupKey === null ? [] : [`${kind} key ${lookupKey}`])];
}

/** A configured listing with what depends on the other listings of its community. */
export type CommunityListing = ListingConfig & ListingWithSecrets;

/** The value of the label `listing` for listings that were linked in Discord. */
export const linkedLabel = 'linked';

/** Throws an Error if the community was not added to the database yet. */
export function knownId(idOf: FindCommunityId, guildId: string | null): CommunityId {
  const id = idOf(guildId);
  if (id === undefined) throw new Error(`The community of the guild ${guildId} has no id.`);
  return id;
}

export function listingsByGuild(listings: readonly ListingConfig[]): Map<string | null, ListingConfig[]> {
  return Map.groupBy(listings, ({ guildId }) => guildId);
}

export function listingsWithCommunity(listings: readonly ListingConfig[], idOf: FindCommunityId): CommunityListing[] {
  return [...listingsByGuild(listings).values()].flatMap((each) => listingsOfCommunity(each, idOf));
}

export function listingsOfCommunity(
  listings: readonly ListingConfig[],
  idOf: FindCommunityId,
  targetIdOf: FindTargetId = configuredId,
): CommunityListing[] {
  const sameTarget = groupByTarget(listings, targetIdOf)
    .map((group) => [...group.map(({ name }) => name), ...formerNames(group, targetIdOf)])
    .filter(({ length }) => length > 1);
  const repeated = sameTarget.flatMap(([, ...others]) => others);
  const names = listings.filter(({ name, implied }) => !implied && !repeated.includes(name)).map(({ name }) => name);
  const shared = eventsSharedBy(listings);
  return listings.map((listing) => {
    const { guildId, timeZone, announcements } = listing;
    const { mode, milestones, premium } = announcements;
    const announced: AnnouncedEvents = { votes: mode === 'each', milestones, premium, ...shared };
    const community = { id: knownId(idOf, guildId), guildId, timeZone, listings: names };
    const withTargets = sameTarget.length === 0 ? community : { ...community, sameTarget };
    return { ...listing, community: withTargets, announced };
  });
}

/** The events that features announce for all listings of a community. */
function eventsSharedBy(listings: readonly ListingConfig[]): object {
  const specs: readonly SettingSpec[] = settings;
  return Object.assign(
    {},
    ...specs.map(({ event, inFile }) => event?.as(listings.every((each) => inFile(each) === true))),
  );
}

function formerNames(group: readonly ListingConfig[], targetIdOf: FindTargetId): readonly string[] {
  const [first] = group;
  const isSameKind = ({ kind, site }: FormerLink) => kind === first?.kind && site === first.site?.id;
  const former = first?.formerLinks?.filter(isSameKind) ?? [];
  const ids = former.length === 0 ? [] : group.map(targetIdOf);
  return [...new Set(former.filter(({ id }) => ids.includes(id)).map(({ name }) => name))];
}

/** Checks whether another listing with the same target represents this one, so that members see it once. */
export function isRepeated({ name, community }: Pick<CommunityListing, 'name' | 'community'>): boolean {
  return namesOfTarget(community, name)[0] !== name;
}

/**
 * A community that a command covers: its accounts, and the listings whose votes they are paid for.
 * @category Commands
 */
export interface CoveredCommunity {
  /** Names it in the options of components, which can be forged: the id of its guild, or `none` without one. */
  readonly id: string;
  readonly guildId: string | null;
  readonly listings: readonly ListedLookup[];
  readonly rules: readonly ListedRules[];
  readonly standings: Standings;
}

/** The rules that members see, of the listings that were configured. */
export function listedRules(listings: readonly CommunityListing[]): ListedRules[] {
  return listings
    .filter((listing) => !listing.implied && !isRepeated(listing))
    .map(({ name, kind, rewards: { base, milestones }, community }) => {
      const names = namesOfTarget(community, name);
      return { name, kind, cooldownMs: base.cooldownMs, milestones, ...(names.length > 1 && { names }) };
    });
}

/** The rules of a listing that members see. @category Commands */
export interface ListedRules {
  readonly name: string;
  /** All names of the server or bot, if it has several: a vote for one is a vote for all. @internal */
  readonly names?: readonly string[];
  readonly kind: ListingKind;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  readonly milestones: readonly Milestone[];
}
