import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { accountIdOf, noCommunity } from '../../core/ledger/account.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { CommandInput } from '../../discord/commands/command.ts';
import type { Directory } from '../communities/feature.ts';
import type { RoleStore } from './store.ts';

/** Members that are remembered, so that most commands write nothing. */
const maxMembers = 10_000;
/** How long stored roles are taken as known (ms): another process may have stored others, or the member was forgotten. */
const seenForMs = 10 * minute;
/** How often the roles of a member whose roles are not known, or have not changed, are repaired (ms). */
const repairEveryMs = hour;

/** Called after a member has used a command. */
export type MemberSeen = (input: Pick<CommandInput, 'userId' | 'guildId' | 'roles'>) => void;

/**
 * Notes the roles that multipliers depend on, and has the member's granted roles repaired: at once if the member, whose
 * roles each interaction in a guild names, has other roles than before, such as after a return; otherwise at most once an
 * hour. Errors are logged: the next command tries again.
 */
export function createSeenMembers(options: {
  readonly store: RoleStore;
  readonly directory: Directory;
  /** Polls these queues of the outbox. */
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}): MemberSeen {
  const { store, directory, nudge, clock, log } = options;
  const repaired = new BoundedMap<{ readonly roles: string | null; readonly at: number }>(maxMembers);
  const seenRoles = new BoundedMap<{ readonly roles: string; readonly at: number }>(maxMembers);

  function retryNextTime(members: BoundedMap<unknown>, key: string) {
    return (error: unknown) => {
      members.delete(key);
      log.warn({ reason: messageOf(error) }, 'the roles of a member could not be stored');
    };
  }

  /** Only what differs, if the member's roles in the guild are known. A read needs no lock. */
  async function repair({ userId, guildId, roles }: Parameters<MemberSeen>[0]): Promise<void> {
    const now = clock.now();
    const present = guildId === null || roles === null ? null : { guildId, roles };
    const differing = await store.differingGrants(userId, present, now);
    if (differing.length === 0) return;
    await store.repairMember(userId, differing, now);
    const guildIds = [...new Set(differing.map((grant) => grant.guildId))];
    nudge(guildIds.map((id) => queueName('roles', directory.ofGuild(id)?.id ?? noCommunity, id)));
  }

  return (input) => {
    const { userId, guildId, roles } = input;
    const listings = listingsSeenIn(directory, guildId);
    const grantsRoles = listings.some(({ community }) => community.guildId !== null);
    const member = `${guildId ?? ''} ${userId}`;
    const last = repaired.get(member);
    const present = roles === null ? null : roles.toSorted().join();
    const isRecent = last !== undefined && clock.monotonic() - last.at < repairEveryMs;
    if (grantsRoles && !(isRecent && last.roles === present)) {
      repaired.set(member, { roles: present, at: clock.monotonic() });
      repair(input).catch(retryNextTime(repaired, member));
    }
    const multiplied = multipliedRoles(listings);
    if (roles === null || multiplied.size === 0) return;
    const [listing] = listings;
    if (listing === undefined) return;
    const accountId = accountIdOf(listing.community.id, userId);
    const seen = roles.filter((role) => multiplied.has(role)).sort();
    const known = seenRoles.get(accountId);
    const now = clock.monotonic();
    if (known?.roles === seen.join() && now - known.at < seenForMs) return;
    seenRoles.set(accountId, { roles: seen.join(), at: now });
    store.seeRoles(accountId, seen).catch(retryNextTime(seenRoles, accountId));
  };
}

/**
 * The listings of the guild; of one without listings, those whose guild is not known, unless others share the program.
 * The roles of another guild say nothing about a listing.
 */
export function listingsSeenIn(directory: Directory, guildId: string | null): readonly ListingContext[] {
  if (guildId === null) return directory.inGuild(null)[0]?.listings ?? [];
  const unknown = directory.isShared ? undefined : directory.ofGuild(null);
  return (directory.ofGuild(guildId) ?? unknown)?.listings ?? [];
}

const multipliedRoles = memoizeOne(
  (listings: readonly ListingContext[]): ReadonlySet<string> =>
    new Set(listings.flatMap(({ rewards }) => rewards.multipliers.flatMap(({ role }) => role ?? []))),
);
