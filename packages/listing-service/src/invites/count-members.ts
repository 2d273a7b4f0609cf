import { randomUUID } from 'node:crypto';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { parseRetryAfter } from '@tallyhook/platform/retry-after';
import type { ServiceContext } from '../context.ts';
import {
  type DueInvite,
  findDueInvite,
  postponeInvite,
  storeInviteCounts,
  storeLostInvite,
} from '../storage/listings/invite-checks.ts';
import { maxLeaseMs, takeLease } from '../storage/settings.ts';
import type { DiscordInvites, InviteReading } from './discord-invites.ts';

/** Between two requests of this process to Discord (ms). */
const paceMs = 1 * second;
/** While no invite is due (ms). */
const pollMs = 10 * second;
/** After a request that Discord did not answer (ms). */
const unavailableMs = 5 * minute;
/** How long the process that asks Discord may be silent until another one takes its place (ms). */
const leaseMs = 1 * minute;

/**
 * Reads the numbers of members of all servers with an invite from Discord, one after the other and each once an hour. Of
 * several processes, one does it. Discord needs no token for it, and counts the requests of an address.
 */
export function startCountingMembers({ database, clock, log }: ServiceContext, invites: Pick<DiscordInvites, 'read'>) {
  const holder = randomUUID();
  let leasedUntil = 0;
  let pauseMs = pollMs;

  async function extendLease(now: number, until: number): Promise<boolean> {
    const isTaken = await takeLease(database, 'count-members', { holder, now, until });
    leasedUntil = isTaken ? until : 0;
    return isTaken;
  }

  async function store(due: DueInvite, reading: InviteReading): Promise<void> {
    const now = clock.now();
    if ('counts' in reading) return storeInviteCounts(database, due, reading.counts, now);
    if ('problem' in reading) return storeLostInvite(database, due, reading.problem, now);
    const { unavailable: reason, retryAfter } = reading;
    const retryAt = (retryAfter === null ? null : parseRetryAfter(retryAfter, now)) ?? now + unavailableMs;
    pauseMs = Math.min(Math.max(retryAt - now, paceMs), maxLeaseMs);
    log.warn({ listing: due.id, reason, pauseMs }, 'the members of a server were not counted');
    await postponeInvite(database, due, now + pauseMs);
    // So that no other process asks meanwhile.
    await extendLease(now, now + pauseMs);
  }

  const loop = createLoop({
    async round(signal) {
      pauseMs = pollMs;
      const now = clock.now();
      const due = await findDueInvite(database, now);
      if (due === null) return;
      if (leasedUntil - now < leaseMs / 2 && !(await extendLease(now, now + leaseMs))) return;
      pauseMs = paceMs;
      const reading = await invites.read(due, signal);
      if (!signal.aborted) await store(due, reading);
    },
    pauseMs: () => pauseMs,
    onError(error, isRepeated) {
      pauseMs = unavailableMs;
      if (!isRepeated) log.error({ error: messageOf(error) }, 'the members of servers cannot be counted');
    },
    clock,
  });
  loop.start();
  return { stop: loop.stop };
}
