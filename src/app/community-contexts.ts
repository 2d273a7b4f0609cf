import type { CoveredCommunity } from '../../commands/context.ts';
import { type AccountScope, homeAccounts } from '../core/ledger/account-id.ts';
import type { Standings } from '../core/ledger/standing.ts';
import { eventKeysOf } from '../core/receiving/replay.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import type { Community, Directory } from '../features/communities/directory.ts';
import { type CommunityListing, isRepeated, listedRules } from '../features/communities/listings.ts';
import { createAwards } from '../features/corrections/awards.ts';
import type { LookupClients } from '../features/listings/lookup-clients.ts';
import type { ReminderService } from '../features/reminders/service.ts';
import { listingToCheck } from '../features/reminders/vote-check.ts';
import type { Store } from '../features/store.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { memoizeOne } from '../platform/memoize.ts';
import type { BotContext } from './answering.ts';
import { createTraces } from './traces.ts';

/** Communities whose standings are kept in memory. */
const maxStandings = 200;

/** The part of a command's context that depends on the communities that it covers. */
export type CommunityContext = Pick<
  BotContext,
  'listings' | 'isShared' | 'communities' | 'rules' | 'standings' | 'awards' | 'traces' | 'reminders'
>;

const shown = (listings: readonly CommunityListing[]) => listings.filter((listing) => !isRepeated(listing));

/** Of the components of commands, for a community whose guild is not known. */
const unknownGuild = 'home';

export interface CommunityContexts {
  /** The context of commands at a place; the same object for the same settings, unless the database must be asked. */
  at(place: CommandPlace): CommunityContext | Promise<CommunityContext>;
  standingsOf(accounts: AccountScope, timeZone: string): Standings;
}

export function createCommunityContexts({
  directory,
  lookups,
  store,
  reminders,
  clock,
  log,
}: {
  readonly directory: Directory;
  readonly lookups: LookupClients;
  readonly store: Store;
  readonly reminders: ReminderService;
  readonly clock: Clock;
  readonly log: Log;
}): CommunityContexts {
  const standingsIn = new BoundedMap<Standings>(maxStandings);

  function standingsOf(accounts: AccountScope, timeZone: string): Standings {
    const key = `${accounts} ${timeZone}`;
    const standings = standingsIn.get(key) ?? store.standingsIn(accounts, timeZone);
    standingsIn.set(key, standings);
    return standings;
  }

  /** Several communities have the home accounts if the guild of some listings is not known. */
  function cover(communities: readonly Community[]): readonly CoveredCommunity[] {
    return [...Map.groupBy(communities, ({ accounts }) => accounts)].map(([accounts, sharing]) => {
      const listings = sharing.flatMap((community) => community.listings);
      const guildId = sharing.find((community) => community.guildId !== null)?.guildId ?? null;
      return {
        ...{ id: guildId ?? unknownGuild, guildId },
        ...{ listings: lookups.of(shown(listings)), rules: listedRules(listings) },
        standings: standingsOf(accounts, sharing[0]?.timeZone ?? 'UTC'),
      };
    });
  }

  /** @param options.covered those whose accounts are used @param options.isManaged by the managers of the guild */
  function create(
    communities: readonly Community[],
    { covered, isManaged }: { readonly covered: readonly Community[]; readonly isManaged: boolean },
  ): CommunityContext {
    const listings = communities.flatMap((community) => community.listings);
    const { accounts = homeAccounts, guildId = null, timeZone = 'UTC' } = covered[0] ?? {};
    const named = covered.flatMap((community) => community.named);
    const isOnly = directory.communities.length === 1 && !directory.isShared;
    const only = { guildId, listings: listings.map(({ name }) => name) };
    return {
      ...{ listings: lookups.of(shown(listings)), isShared: directory.isShared, rules: listedRules(listings) },
      communities: isOnly ? null : cover(covered),
      standings: standingsOf(accounts, timeZone),
      reminders: reminders.covering(named.map((listing) => listingToCheck(listing, lookups.find))),
      awards: isManaged ? createAwards({ actions: store.ownerActions, accounts, clock, log }) : null,
      traces: isManaged
        ? createTraces({ records: store.records, eventKeysOf }, { accounts, only: isOnly ? null : only })
        : null,
    };
  }

  function memoized() {
    return {
      managed: memoizeOne((communities: readonly Community[]) =>
        create(communities, { covered: communities, isManaged: true }),
      ),
      visited: memoizeOne((communities: readonly Community[]) =>
        create(communities, { covered: communities, isManaged: false }),
      ),
    };
  }
  let contexts = memoized();
  directory.onChange(() => {
    contexts = memoized();
  });

  /** Those in which the member has an account, or all of the operator's if there is none. */
  async function communitiesOf(userId: string, communities: readonly Community[]): Promise<readonly Community[]> {
    const scopes = await store.communitiesOf(userId);
    const own = communities.filter(({ accounts }) => scopes.includes(accounts));
    return own.length > 0 ? own : communities.filter(({ isHosted }) => !isHosted);
  }

  /** A guild whose id is not configured may be any guild. */
  function isManaged(guildId: string | null): boolean {
    if (guildId === null) return false;
    const [first, ...others] = directory.communities;
    const isUnknown = first?.guildId === null && others.length === 0;
    return isUnknown || directory.ofGuild(guildId) !== undefined;
  }

  return {
    standingsOf,
    at({ guildId, userId }) {
      const communities = directory.inGuild(guildId);
      if (isManaged(guildId)) return contexts.managed(communities);
      if (communities.length <= 1) return contexts.visited(communities);
      return communitiesOf(userId, communities).then((covered) => {
        // In direct messages, members see only what is theirs; in a guild, the listings of the operator are for everyone.
        return create(guildId === null ? covered : communities, { covered, isManaged: false });
      });
    },
  };
}
