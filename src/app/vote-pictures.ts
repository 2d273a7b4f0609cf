import type { DrawVotePicture } from '../../commands/vote-picture.ts';
import type { ListingConfig } from '../../config/schema.ts';
import type { VotesPerDay } from '../ledger/votes-per-day.ts';
import type { Log } from '../platform/log.ts';

/** Draws the votes of listings, by the calendar of their community. */
export function createVotePictures(_options: {
  readonly listings: readonly ListingConfig[];
  readonly votesPerDayIn: (timeZone: string) => VotesPerDay;
  readonly log: Log;
}): DrawVotePicture {
  return async () => null;
}
