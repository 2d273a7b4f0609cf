import { day, formatCount, formatWait, hour, minute } from '@tallyhook/platform/durations';

/**
 * Formats how far a clock is ahead, to the minute, and to the hour from two days on: "12 hours", "1½ days", "3 days 5
 * hours". Null for less than half a minute.
 *
 * @param lead ms
 */
export function formatLead(lead: number): string | null {
  const unit = lead < 2 * day ? minute : hour;
  const rounded = Math.round(lead / unit) * unit;
  if (rounded <= 0) return null;
  if (rounded < day) return formatWait(rounded);
  const [days, rest] = [Math.floor(rounded / day), rounded % day];
  if (rest === day / 2) return `${days}½ days`;
  const whole = formatCount(days, 'day');
  return rest === 0 ? whole : `${whole} ${formatWait(rest)}`;
}
