import { z } from 'zod';
import { addedValue } from '../../core/added-value.ts';
import { setting, showPlain } from '../../core/settings/setting-spec.ts';
import { breaks, rule } from '../../core/settings/value-schemas.ts';

/** The least days of a streak whose end is announced, null for none: of the announcements of a listing. */
export const announcedStreak = addedValue<number | null>('lostStreaks', null);

/** The shortest streak whose end can be announced, and the one that is meant by `true` (days). */
const minDays = 2;
const defaultDays = 3;

const error = breaks(
  rule('wholeNumber', { min: minDays, max: 3_650 }),
  `it must be true, false, or the least days of such a streak, from ${minDays} to 3650`,
);

export const lostStreaks = setting({
  path: 'announcements.lostStreaks',
  description: `Announce streaks that ended: \`true\` for those of ${defaultDays} days or more, or the least number of days, from ${minDays}.`,
  default: false,
  schema: z.union([z.boolean(), z.int(error).min(minDays, error).max(3_650, error)], error),
  announces: (value) => announcedStreak.as(value === true ? defaultDays : value || null),
  inFile: ({ announcements }) => announcedStreak.in(announcements) ?? false,
  show(value, texts) {
    if (typeof value !== 'number') return showPlain(value, texts);
    return texts.text('setup.values.lostStreaks', { days: texts.text('parts.days', { count: value }) });
  },
  form: 'style',
  fields: [{ name: 'lostStreaks', kind: 'number', hint: 'off', ifEmpty: false }],
});
