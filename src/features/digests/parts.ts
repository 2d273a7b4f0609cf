import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { ListingConfig } from '../../../config/schema.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import { handle } from '../../core/outbox/perform.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { CommunityListing } from '../communities/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext } from '../parts.ts';
import { createDigestHandler, type VotesBetween } from './message.ts';
import { nextPeriod, settleMs } from './period.ts';
import { digestInterval } from './settings.ts';
import type { DigestStore, Summaries, VoteSummary } from './store.ts';
import { digestKind } from './store.ts';

/** Plans the digest of a listing when its period has ended. */
export function createDigestTask(
  { name: listing, announceChannelId: channelId, timeZone, announcements }: ListingConfig,
  options: {
    readonly communityId: CommunityId;
    readonly store: Pick<DigestStore, 'announcedUntil' | 'plan'>;
    readonly votesBetween: VotesBetween;
    readonly clock: Clock;
  },
): AnnouncementTask['run'] {
  const { communityId, store, votesBetween, clock } = options;
  const calendar = calendarOf({ timeZone });
  return async () => {
    if (channelId === null) return null;
    const now = clock.now();
    const announcedUntil = await store.announcedUntil(listing);
    const period = nextPeriod(announcedUntil, { calendar, everyMs: digestInterval.in(announcements), now });
    if (period === null) return null;
    const { from, until } = period;
    const hasVotes = from < until && (await votesBetween(listing, from, until)).votes > 0;
    return store.plan({ listing, communityId, channelId, announcedUntil, from, until, hasVotes }, now);
  };
}

/** How long a scan is used (ms): as short as a member who is forgotten meanwhile may still be named. */
const maxAgeMs = 10 * second;
/** Different periods that are remembered: of several time zones and intervals. */
const maxScans = 50;

const noVotes: VoteSummary = { votes: 0, voters: 0, credits: 0, top: [], milestones: [], moreMilestones: 0 };

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
    if (until + settleMs <= clock.now()) {
      scans.set(key, { at, summaries });
      summaries.catch(() => scans.delete(key));
    }
    return (await summaries).get(listing) ?? noVotes;
  };
}

/** An attempt to post is limited in time (ms). */
const maxDrawingMs = 3 * second;

export function create(context: PartsContext & { readonly store: { readonly digests: DigestStore } }) {
  const { store, directory, drawVotePicture, clock } = context;
  const votesBetween = createVotesBetween(store.digests, clock);
  let keptDigests: string | undefined;
  return {
    effects: [
      handle(
        digestKind,
        createDigestHandler(context, {
          votesBetween,
          async drawPicture(listing, texts) {
            const drawing = drawVotePicture({ listings: [listing], texts, scale: 2, now: clock.now() });
            return (await settleWithin(maxDrawingMs, clock, drawing)) ?? null;
          },
        }),
      ),
    ],
    tasks: ({ id: communityId, named }) =>
      named.filter(isDigested).map((listing) => ({
        name: 'digest',
        run: createDigestTask(listing, { communityId, store: store.digests, votesBetween, clock }),
      })),
    async prepareTasks() {
      const digested = directory.listings.filter(isDigested).map(({ name }) => name);
      if (keptDigests === digested.join()) return;
      await store.digests.keepOf(digested);
      keptDigests = digested.join();
    },
  } satisfies FeatureParts;
}

function isDigested({ implied, announceChannelId, announcements }: CommunityListing): boolean {
  return !implied && announceChannelId !== null && announcements.mode === 'digest';
}
