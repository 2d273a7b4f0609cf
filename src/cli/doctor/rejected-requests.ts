import type { CircuitStore } from '../../discord/circuits/circuit-store.ts';
import { guildsToPause } from '../../discord/circuits/paused-guilds.ts';
import { recentRejections } from '../../discord/circuits/request-guard.ts';
import {
  type InvalidRequestStore,
  maxInvalidRequests,
  recentInvalidRequests,
  warningInvalidRequests,
} from '../../discord/invalid-requests.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { formatCount } from '../../platform/durations.ts';
import type { InstallationCheck } from './installation.ts';

/** Channels and roles that are listed. */
const maxShown = 10;
const stopHint =
  'Its effects wait. They are tried again when the permissions change, and once a minute; after a day they are buried with this reason.';
const pauseHint = 'It is sent nothing until there are fewer. Other servers are not affected.';
const hint =
  'Discord blocks an address after 10,000 in ten minutes. Fix what the other checks and the log report: a wrong token, missing permissions, or other bots with this token.';

export const rejectedRequestsCheck: InstallationCheck = {
  name: 'requests',
  run: ({ store, clock }) => (store === null ? [] : checkRejectedRequests(store, clock.now())),
};

/** Evaluates how many requests Discord has rejected, of all processes. @param now ms since the epoch */
export async function checkRejectedRequests(
  { invalidRequests, circuits }: { readonly invalidRequests: InvalidRequestStore; readonly circuits: CircuitStore },
  now: number,
): Promise<Finding[]> {
  const count = await recentInvalidRequests(invalidRequests, now);
  return [evaluateCount(count), ...(await findStops(circuits, count, now))];
}

function evaluateCount(count: number): Finding {
  const message = `Discord has rejected ${formatCount(count, 'request')} in the last ten minutes`;
  if (count >= maxInvalidRequests)
    return fail(`${message}; only interactions are answered until there are fewer.`, hint);
  if (count >= warningInvalidRequests) return warn(`${message}.`, hint);
  return pass(`${message}.`);
}

/** The guilds that are paused, and what Discord rejects, the newest first. */
async function findStops(circuits: CircuitStore, total: number, now: number): Promise<Finding[]> {
  const counts = await recentRejections(circuits, now);
  const paused = guildsToPause(counts, total);
  const open = (await circuits.all()).toSorted((a, b) => b.openedAt - a.openedAt);
  const more = open.length - maxShown;
  return [
    ...counts
      .filter(({ guildId }) => paused.has(guildId))
      .map(({ guildId, count }) => {
        const rejected = formatCount(count, 'request');
        return warn(
          `Server ${guildId} is paused: Discord rejected ${rejected} of it in the last ten minutes.`,
          pauseHint,
        );
      }),
    ...open.slice(0, maxShown).map(({ guildId, openedAt, reason }) => {
      const server = guildId === null ? '' : ` in server ${guildId}`;
      return warn(`Discord rejects requests${server} since ${new Date(openedAt).toISOString()}: ${reason}`, stopHint);
    }),
    ...(more > 0
      ? [
          warn(
            `Discord rejects ${formatCount(more, 'other channel or role', 'other channels or roles')}, too.`,
            stopHint,
          ),
        ]
      : []),
  ];
}
