import { type ForeignRecordings, foreignRecordings } from '../../core/store/snapshots/origins.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { formatCount, pluralize } from '../../platform/durations.ts';
import { ledgerCheck } from './installation.ts';

/** Whether deliveries were recorded for the communities whose secrets have signed them. */
export const originsCheck = ledgerCheck('origins', async (snapshot, { status }) =>
  status.state === 'current' ? [evaluateOrigins(await foreignRecordings(snapshot))] : [],
);

const maxShown = 10;

function evaluateOrigins({ certain, possible }: ForeignRecordings): Finding {
  const ids = [...certain, ...possible];
  if (ids.length === 0) return pass('Every delivery was recorded for the server whose secret signed it.');
  const omitted = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : '';
  const subject = `${formatCount(ids.length, 'delivery', 'deliveries')} ${certain.length > 0 ? '' : 'may '}`;
  const verb = certain.length > 0 ? pluralize(ids.length, 'was', 'were') : 'have been';
  const message = `${subject}${verb} recorded for another server than the one whose secret signed it: ${ids.slice(0, maxShown).join(', ')}${omitted}.`;
  return certain.length > 0 ? fail(message, hint) : warn(message, hint);
}

const hint =
  'An earlier version could replay a delivery of an unlinked listing for any other one. Compare each, as in /owner/deliveries/ID, ' +
  'with the votes that the listing site shows, and take back with a correction what it should not have paid.';
