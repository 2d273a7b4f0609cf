import { type Finding, fail, pass } from '@tallyhook/platform/doctor/check';
import { formatCount, pluralize } from '@tallyhook/platform/durations';
import { foreignRecordings } from '../../core/store/snapshots/statistics.ts';
import { ledgerCheck } from './installation.ts';

/** Whether deliveries were recorded for the communities whose secrets have signed them. */
export const originsCheck = ledgerCheck('origins', async (snapshot, { status }) =>
  status.state === 'current' ? [evaluateOrigins(await foreignRecordings(snapshot))] : [],
);

const maxShown = 10;

function evaluateOrigins(ids: readonly number[]): Finding {
  if (ids.length === 0) return pass('Every delivery was recorded for the server whose secret signed it.');
  const omitted = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : '';
  const subject = `${formatCount(ids.length, 'delivery', 'deliveries')} ${pluralize(ids.length, 'was', 'were')}`;
  const message = `${subject} recorded for another server than the one whose secret signed it: ${ids.slice(0, maxShown).join(', ')}${omitted}.`;
  return fail(message, hint);
}

const hint =
  'Compare each, as in /owner/deliveries/ID, with the votes that the listing site shows, take back with a correction what ' +
  'it should not have paid, and report a bug.';
