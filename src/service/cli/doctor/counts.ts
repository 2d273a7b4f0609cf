import { type Finding, fail, pass } from '../../../platform/doctor/finding.ts';
import { formatCount, pluralize } from '../../../platform/durations.ts';
import type { CountDifference } from '../../storage/audit.ts';

const maxShown = 5;

/** The counts that lookups return must be those of the rows. @param sample how many listings were compared */
export function evaluateCounts(differences: readonly CountDifference[], sample: number): Finding {
  if (differences.length === 0) {
    return pass(`The counts of ${formatCount(sample, 'listing')} equal their votes and reviews.`);
  }
  const shown = differences
    .slice(0, maxShown)
    .map(({ listingId, what, counted, rows }) => `${listingId} counts ${counted} ${what}, but has ${rows}`);
  const { length } = differences;
  return fail(
    `${formatCount(length, 'count')} ${pluralize(length, 'differs', 'differ')} from the rows: ${shown.join('; ')}.`,
    'Rows or counts were changed outside of the service. Restore a backup, or report a bug.',
  );
}
