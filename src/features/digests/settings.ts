import { toDurationText } from '@tallyhook/platform/duration-text';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { addedValue } from '../../core/added-value.ts';
import { setting, showDuration } from '../../core/settings/setting-spec.ts';
import { duration } from '../../core/settings/value-schemas.ts';

const expectedInterval = 'it must be a duration from 5m to 24h, or of whole days up to 30d';
const defaultMs = hour;

/** The interval of digests (ms): of the announcements of a listing. */
export const digestInterval = addedValue('everyMs', defaultMs);

export const every = setting({
  path: 'announcements.every',
  description:
    'The interval of digests: `5m` to `24h`, or whole days up to `30d`. It starts with the day of the community.',
  default: toDurationText(defaultMs),
  schema: duration.refine(isInterval, expectedInterval),
  announces: (value) => digestInterval.as(value ?? defaultMs),
  inFile: ({ announcements }) => toDurationText(digestInterval.in(announcements)),
  show: showDuration,
  form: 'style',
  fields: [
    {
      name: 'every',
      kind: 'duration',
      choices: ['5m', '15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d', '2d', '7d', '14d', '30d'],
    },
  ],
});

function isInterval(interval: number): boolean {
  return interval >= 5 * minute && (interval <= day || interval % day === 0) && interval <= 30 * day;
}
