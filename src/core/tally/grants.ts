import { type CommunityId, isPseudonym } from '../ledger/account.ts';
import { type GivenRole, type NewEffect, newEffect, type RoleContent, roleKind } from '../outbox/effect-kind.ts';
import { queueName } from '../outbox/queue.ts';
import { endAfter, type Grant } from '../rewards/reward.ts';
import type { CommunityContext } from './community.ts';
import type { Tally } from './tally.ts';

/**
 * Stores the desired roles, and enqueues an effect for each one, also if nothing has changed: so each vote repairs a
 * role that was taken away in Discord. A waiting effect suffices, because it reads the grants when it is performed.
 * Returns the roles that are new or last longer.
 * @param event what changes them; `now` in ms since the epoch
 */
export function applyGrants(
  tally: Pick<Tally, 'grantsOf' | 'saveGrant' | 'enqueue'>,
  grants: readonly Grant[],
  event: { readonly community: CommunityContext; readonly deliveryId: number | null; readonly now: number },
): readonly GivenRole[] {
  const { community, deliveryId, now } = event;
  const { id: communityId, guildId } = community;
  const given: GivenRole[] = [];
  if (guildId === null) return given;
  for (const grant of grants) {
    const { userId, role, source } = grant;
    // The order of a member who was forgotten still has events.
    if (isPseudonym(userId)) continue;
    const granted = tally.grantsOf(userId).filter((each) => each.role === role && each.guildId === guildId);
    const stored = granted.find((each) => each.source === source) ?? null;
    const until = endAfter(stored, grant);
    if (stored === null && until !== null && until <= now) continue;
    tally.saveGrant({ userId, role, source, until, guildId, state: 'pending' });
    const lasts = until === null || until > now;
    if (lasts && (stored === null || stored.until !== until)) given.push({ role, until });
    if (granted.some(({ state }) => state === 'pending')) continue;
    tally.enqueue(roleEffect(communityId, { guildId, userId, role }, deliveryId, now));
  }
  for (const userId of new Set(grants.map((grant) => grant.userId)))
    repairParked(tally, { ...event, communityId, guildId, userId });
  return given;
}

/** Retries roles that could not be given before, such as to a member who had left; called with each event. */
function repairParked(
  tally: Pick<Tally, 'grantsOf' | 'saveGrant' | 'enqueue'>,
  event: {
    readonly communityId: CommunityId;
    readonly guildId: string;
    readonly userId: string;
    readonly deliveryId: number | null;
    readonly now: number;
  },
): void {
  const { communityId, guildId, userId, deliveryId, now } = event;
  const granted = tally.grantsOf(userId);
  const waiting = new Set(granted.filter(({ state }) => state === 'pending').map(({ role }) => role));
  for (const grant of granted) {
    const { role, until, state } = grant;
    if (grant.guildId !== guildId || state !== 'parked' || (until !== null && until <= now)) continue;
    tally.saveGrant({ ...grant, state: 'pending' });
    if (waiting.has(role)) continue;
    waiting.add(role);
    tally.enqueue(roleEffect(communityId, { guildId, userId, role }, deliveryId, now));
  }
}

/** The effect that makes Discord match the grants of a role. */
export function roleEffect(
  communityId: CommunityId,
  content: RoleContent,
  deliveryId: number | null,
  createdAt: number,
): NewEffect {
  const queue = queueName('roles', communityId, content.guildId);
  return newEffect(roleKind, { queue, content, deliveryId, createdAt });
}
