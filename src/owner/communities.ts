import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type CommunityId, type LedgerReads, noCommunity } from '../core/ledger/account.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { RecordScope } from '../core/records/records.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import {
  type Directory,
  describeCommunities,
  distinctCommunities,
  withoutGuild,
} from '../features/communities/directory.ts';
import { hiddenRolesOf } from '../features/guards/feature.ts';
import type { Store } from '../features/store.ts';

/** The scope of one community's records, which its managers see. */
export type CommunityScope = RecordScope;

/** The accounts of one community. Reads reject with the driver's error. */
export interface OwnerCommunity {
  readonly id: CommunityId;
  /** Discord ID; null if it has no guild. */
  readonly guildId: string | null;
  readonly ledger: LedgerReads;
  readonly standings: Standings;
}

/** All communities for the operator, one of them for its managers. */
export type OwnerCommunities = ReturnType<typeof createOwnerCommunities>;

/** Communities whose leaderboards are kept in memory for the operator. */
const maxCommunities = 100;

export function createOwnerCommunities(options: {
  readonly store: Pick<Store, 'ledgerIn' | 'standingsIn' | 'communitiesOf'>;
  readonly directory: Pick<Directory, 'communities' | 'ofGuild'>;
  readonly communityIds: Pick<CommunityIds, 'of' | 'guildOf'>;
}) {
  const { store, directory, communityIds } = options;
  const kept = new BoundedMap<OwnerCommunity>(maxCommunities);

  function communityWith(id: CommunityId): OwnerCommunity {
    const guildId = communityIds.guildOf(id);
    const { timeZone = 'UTC', listings = [] } = directory.ofGuild(guildId) ?? directory.ofGuild(null) ?? {};
    const hiddenRoles = hiddenRolesOf(listings);
    const key = [id, guildId, timeZone, ...hiddenRoles].join(' ');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const community = {
      id,
      guildId,
      ledger: store.ledgerIn(id),
      standings: store.standingsIn(id, timeZone, hiddenRoles),
    };
    kept.set(key, community);
    return community;
  }

  function all(): readonly [OwnerCommunity, ...OwnerCommunity[]] {
    const [first = noCommunity, ...others] = distinctCommunities(directory).map(({ id }) => id);
    return [communityWith(first), ...others.map(communityWith)];
  }

  return {
    /** Communities that have a listing; before the first listing an empty one. */
    all,
    /** The community of a guild, of `none`, or (null) the only one. @throws HttpError 400 if there are several, or 404 */
    at(guildId: string | null): OwnerCommunity {
      const [only, ...others] = all();
      if (guildId === null && others.length === 0) return only;
      const known = describeCommunities(directory);
      if (guildId === null)
        throw new HttpError(400, `There are several communities. Choose one with guildId: ${known}.`);
      const id = communityIds.of(guildId === withoutGuild ? null : guildId);
      if (id === undefined)
        throw new HttpError(404, `There is no community ${guildId}. The communities are: ${known}.`);
      return communityWith(id);
    },
    /** Communities in which the member has an account; the first community if there is none. */
    async of(userId: string): Promise<readonly [OwnerCommunity, ...OwnerCommunity[]]> {
      const [first, ...others] = (await store.communitiesOf(userId)).toSorted((a, b) => a - b);
      return first === undefined ? [all()[0]] : [communityWith(first), ...others.map(communityWith)];
    },
  };
}

/** The scope of each community, as it is configured now, by its guild or {@link withoutGuild}. */
export function createCommunityScopes(directory: Directory) {
  return {
    ids: () => directory.communities.flatMap(({ guildId }) => guildId ?? []),
    /** Null if it has no listings. */
    scopeOfCommunity(communityId: CommunityId): CommunityScope | null {
      const own = directory.communities.filter(({ id }) => id === communityId);
      const community = own.find(({ guildId }) => guildId !== null) ?? own[0];
      return community === undefined ? null : this.scopeOf(community.guildId ?? withoutGuild);
    },
    scopeOf(guildId: string): CommunityScope | null {
      const community = directory.ofGuild(guildId === withoutGuild ? null : guildId);
      if (community === undefined) return null;
      const { id: communityId, listings } = community;
      const former = listings
        .flatMap(({ formerLinks = [] }) => formerLinks.map(({ name }) => name))
        // The operator may have given the name to another one.
        .filter((name) => (directory.communityOf(name) ?? community) === community);
      return {
        guildId,
        communityId,
        listings: [...new Set([...listings.map(({ name }) => name), ...former])],
      };
    },
  };
}
