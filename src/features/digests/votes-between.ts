import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { DigestContent } from './effects.ts';
import type { DigestStore, Summaries } from './store.ts';

/** How long a scan is used (ms): as short as a member who is forgotten meanwhile may still be named. */
const maxAgeMs = 10 * second;
/** Different periods that are remembered: of several time zones and intervals. */
const maxScans = 50;
/** A vote is stored within this time after its receipt (ms). */
const settledMs = 15 * second;

const noVotes: DigestContent = { votes: 0, voters: 0, credits: 0, top: [], milestones: [], moreMilestones: 0 };

/** The votes of a listing in a period (ms since the epoch, `until` exclusive). Rejects with the driver's error. */
export type VotesBetween = (listing: string, from: number, until: number) => Promise<DigestContent>;

/**
 * What listings received in a period, by the time of receipt: so a vote that arrives late is in a later one. The newest
 * entries are scanned once for all listings whose periods are the same, as most are.
 */
export function createVotesBetween(store: Pick<DigestStore, 'votesOf'>, clock: Clock): VotesBetween {
  const scans = new BoundedMap<{ readonly at: number; readonly summaries: Promise<Summaries> }>(maxScans);

  return async (listing, from, until) => {
    const key = `${from} ${until}`;
    const known = scans.get(key);
    const at = clock.monotonic();
    if (known !== undefined && at - known.at < maxAgeMs) return (await known.summaries).get(listing) ?? noVotes;
    const summaries = store.votesOf({ from, until });
    // Only a period that has ended has all its votes.
    if (until + settledMs <= clock.now()) {
      scans.set(key, { at, summaries });
      summaries.catch(() => scans.delete(key));
    }
    return (await summaries).get(listing) ?? noVotes;
  };
}
