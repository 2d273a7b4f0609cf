import { systemClock } from '@tallyhook/platform/clock';
import { memoizeOne } from '@tallyhook/platform/memoize';
import type { Config } from '../../../config/schema.ts';
import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import { linkPath } from '../../core/settings/stored-settings.ts';
import type { CountRecordedVotes } from '../../core/store/standings/votes-per-day.ts';
import type { ListedLookup, RegistrationContext } from '../../discord/commands/command.ts';
import type { CommandPlace } from '../../discord/interactions/interactions.ts';
import { createLookup } from '../../lookup/client.ts';
import { missingFor } from '../../lookup/sites/site-apis.ts';
import { describeSiteListing } from '../../lookup/sites/site-client.ts';
import { ownTexts, type Texts } from '../../texts/texts.ts';
import { findSite } from '../../webhook/sites/index.ts';
import type { Services } from '../create.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type { ServicesContext } from '../parts.ts';
import { seasonLines } from '../season.ts';
import { lacksOf } from '../settings.ts';
import { type Community, withoutGuild } from './directory.ts';
import { type CommunityListing, type CoveredCommunity, isRepeated, listedRules } from './listings.ts';
import { inOrderOfCommands } from './lookup-clients.ts';

interface Dependencies
  extends Pick<ServicesContext, 'languages' | 'directory' | 'lookups' | 'drawVotePicture' | 'clock'> {
  readonly store: {
    standingsIn(communityId: CommunityId, timeZone: string, hiddenRoles: readonly string[]): Standings;
    recordedVotesIn(timeZone: string): CountRecordedVotes;
    communitiesOf(userId: string): Promise<readonly CommunityId[]>;
  };
  readonly services: Pick<Services, 'commandsIn'>;
}

type CommandContext = ReturnType<typeof createContext>;

/**
 * @param communities those whose listings are shown
 * @param options.covered those whose accounts are used
 * @param options.isManaged by the managers of the guild
 */
function createContext(
  dependencies: Dependencies,
  communities: readonly Community[],
  { covered, isManaged }: { readonly covered: readonly Community[]; readonly isManaged: boolean },
) {
  const { store, services, directory, lookups, drawVotePicture, clock } = dependencies;
  const listings = communities.flatMap((community) => community.listings);
  const { id = noCommunity, timeZone = 'UTC' } = covered[0] ?? {};
  const isOnly = directory.communities.length === 1 && !directory.isShared;
  return {
    clock,
    displayName: lookups.displayName,
    recordedVotes: (listing: string) =>
      store.recordedVotesIn(directory.communityOf(listing)?.timeZone ?? 'UTC')(directory.namesOf(listing), clock.now()),
    drawVotePicture,
    season: (texts: Texts) => covered.slice(0, 1).flatMap((community) => seasonLines(community, texts, clock.now())),
    listings: lookups.of(shown(listings)),
    isShared: directory.isShared,
    lacks: lacksOf(listings),
    rules: listedRules(listings),
    communities: isOnly ? null : cover(dependencies, covered),
    standings: store.standingsIn(id, timeZone, hiddenRolesIn(id, covered)),
    ...services.commandsIn({ communities: covered, isManaged, isOnly }),
  };
}

/** Listings without a guild may belong to the community of a guild. */
function cover(
  { store, lookups }: Pick<Dependencies, 'store' | 'lookups'>,
  communities: readonly Community[],
): readonly CoveredCommunity[] {
  return [...Map.groupBy(communities, ({ id }) => id)].map(([id, sharing]) => {
    const listings = sharing.flatMap((community) => community.listings);
    const guildId = sharing.find((community) => community.guildId !== null)?.guildId ?? null;
    return {
      id: guildId ?? withoutGuild,
      guildId,
      listings: lookups.of(shown(listings)),
      rules: listedRules(listings),
      standings: store.standingsIn(id, sharing[0]?.timeZone ?? 'UTC', hiddenRolesOf(listings)),
    };
  });
}

/** Several may have the accounts of one community. */
function hiddenRolesIn(communityId: CommunityId, covered: readonly Community[]): readonly string[] {
  return hiddenRolesOf(covered.flatMap(({ id, listings }) => (id === communityId ? listings : [])));
}

/** The contexts of commands, by the communities of the place, until a setting changes. */
export class CommandContexts {
  readonly #dependencies: Dependencies;
  #contexts: ReturnType<typeof memoizedContexts>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#contexts = memoizedContexts(dependencies);
    dependencies.directory.onChange(() => {
      this.#contexts = memoizedContexts(dependencies);
    });
  }

  /** The context at a place; the same object for the same settings, unless the database must be asked. */
  at({ guildId, userId }: CommandPlace): CommandContext | Promise<CommandContext> {
    const { directory } = this.#dependencies;
    const communities = directory.inGuild(guildId);
    if (this.#isManaged(guildId)) return this.#contexts.managed(communities);
    const isOpen = communities.length === 0 || (communities.length === 1 && !directory.isShared);
    if (isOpen) return this.#contexts.visited(communities);
    return this.#communitiesOf(userId, communities).then((covered) => {
      // In direct messages, members see only what is theirs; in a guild, the listings of the operator are for everyone.
      const visible = guildId === null ? covered : communities;
      return createContext(this.#dependencies, visible, { covered, isManaged: false });
    });
  }

  guildIds(): readonly string[] {
    return this.#dependencies.directory.communities.flatMap(({ guildId }) => guildId ?? []);
  }

  /** The offer of registered commands, with the listings of all communities. */
  offer(): RegistrationContext {
    const { directory, lookups, languages } = this.#dependencies;
    const { listings, isShared } = directory;
    return { listings: lookups.of(shown(listings)), isShared, lacks: lacksOf(listings), languages };
  }

  /** The communities in which the member has an account, or all of the operator's if there is none. */
  async #communitiesOf(userId: string, communities: readonly Community[]): Promise<readonly Community[]> {
    const scopes = await this.#dependencies.store.communitiesOf(userId);
    const own = communities.filter(({ id }) => scopes.includes(id));
    return own.length > 0 ? own : communities.filter(({ isHosted }) => !isHosted);
  }

  /** A guild whose id is not configured may be any guild. */
  #isManaged(guildId: string | null): boolean {
    if (guildId === null) return false;
    const { directory } = this.#dependencies;
    const [first, ...others] = directory.communities;
    const isUnknown = first?.guildId === null && others.length === 0;
    return isUnknown || directory.ofGuild(guildId) !== undefined;
  }
}

/** Contexts of guilds that are managed, and of places where members only visit; one object for the same communities. */
function memoizedContexts(dependencies: Dependencies) {
  const createFor = (isManaged: boolean) =>
    memoizeOne((communities: readonly Community[]) =>
      createContext(dependencies, communities, { covered: communities, isManaged }),
    );
  return { managed: createFor(true), visited: createFor(false) };
}

function shown(listings: readonly CommunityListing[]): readonly CommunityListing[] {
  return listings.filter((listing) => !isRepeated(listing));
}

/** The offer of commands by the configuration, without a request. @throws TallyhookError `lookup_key_malformed` */
export async function configuredOffer(
  { lookup, listings }: Config,
  stored: (path: string) => Promise<boolean>,
): Promise<RegistrationContext> {
  const clock = systemClock;
  const offered = listings.flatMap(
    ({ name, kind, id, title, lookupKey: key, site, implied }): readonly ListedLookup[] => {
      const displayName = () => title ?? (site && findSite(site).name) ?? name;
      const described = { name, displayName, lookup: describeSiteListing({ kind, id }) };
      if (site !== undefined) {
        const { id: siteId, name: siteName } = findSite(site);
        const isSilent = missingFor({ site: site.id, kind, id, key: site.key }) !== null;
        return [{ ...described, site: { id: siteId, name: siteName }, isSilent }];
      }
      if (key === null || lookup.baseUrl === '') return implied ? [] : [{ ...described, isSilent: true }];
      return [{ name, displayName, lookup: createLookup({ kind, baseUrl: lookup.baseUrl, key, clock }) }];
    },
  );
  const lacks = lacksOf(listings);
  const areStored = await Promise.all(lacks.map((need) => stored(need === 'accounts' ? linkPath : need)));
  return {
    languages: ownTexts,
    listings: inOrderOfCommands(offered),
    isShared: listings.some(({ linked }) => linked),
    lacks: lacks.filter((_, index) => !areStored[index]),
  };
}
