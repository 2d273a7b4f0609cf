import { day } from '@tallyhook/platform/durations';
import { escapeInline, escapeName, type Markup, mention } from '@tallyhook/platform/texts/markup';
import { ownReason } from '../src/core/announcements/announcement.ts';
import { bonusCauses, type Cause, type Entry, type ProgramKey } from '../src/core/ledger/entry.ts';
import type { LeaderboardScore } from '../src/core/ledger/standing.ts';
import { daysOfPeriod } from '../src/features/party/rules.ts';
import type { Texts } from '../src/texts/texts.ts';

const maxLength = 60;
/** How the rules explain their own entries: "7 days on 2026-11-20", "10 votes", "100 votes, week 2026-W47". */
const countedReason = /^(\d{1,9}) (days|votes)\b/;
/** How prizes explain theirs: "place 2 by votes, month 2026-11". */
const placeReason = /^place (\d{1,4}) by (votes|credits|streak)\b/;
/** The reason of raffles: "week 2026-W47". */
const periodReason = /^(?:week \d{4}-W|month \d{4}-)\d\d$/;
const countedCauses: readonly Cause[] = ['streak', 'milestone', 'party'];

/** The day number of the date that is the reason for an entry; null for another reason. */
export function dayOf(reason: string | null): number | null {
  return reason !== null && /^\d{4}-\d\d-\d\d$/.test(reason) ? Date.parse(reason) / day : null;
}

/** The cause of an entry; a later version may have written one that this version does not know. */
export function causeName(cause: Cause, { text, has }: Texts): Markup {
  return has('credits.causes', cause) ? text(`credits.causes.${cause}`) : text('credits.otherCause');
}

/** The reason that a program gave for its entry, in place of the cause; null for all other entries. */
export function programReason({ key, reason }: Pick<Entry, 'reason'> & ProgramKey): Markup | null {
  return key === undefined || reason === null ? null : escapeName(reason, maxLength) || null;
}

/** Words for the entry of a gift, with the other member, which replace the name of the cause; null for all other entries. */
export function giftText({ cause, reason }: Pick<Entry, 'cause' | 'reason'>, { text }: Texts): Markup | null {
  const [, direction, userId] = (cause === 'gift' && /^(to|from) (\d{1,20})$/.exec(reason ?? '')) || [];
  if (userId === undefined) return null;
  return text(direction === 'to' ? 'credits.giftTo' : 'credits.giftFrom', { user: mention(userId) });
}

/** Why an entry was made, in the language of the texts where the reason is one of ours; null if the cause says it all. */
export function entryReason(cause: Cause, reason: string | null, texts: Texts): Markup | null {
  if (reason === null || ownReason(reason) !== null || cause === 'gift') return null;
  const date = bonusCauses.some((each) => each === cause) ? dayOf(reason) : null;
  if (date !== null) return escapeInline(texts.days(date));
  const [, place, by] = (cause === 'prize' && placeReason.exec(reason)) || [];
  if (place !== undefined) return texts.text(`prizes.reasons.${by as LeaderboardScore}`, { place: Number(place) });
  if (cause === 'raffle' && periodReason.test(reason)) return escapeInline(texts.days(...daysOfPeriod(reason)));
  const [, count, unit] = (countedCauses.includes(cause) && countedReason.exec(reason)) || [];
  if (count !== undefined)
    return unit === 'days'
      ? texts.text('parts.days', { count: Number(count) })
      : texts.text('parts.votes', { count: Number(count) });
  return escapeName(reason, maxLength) || null;
}
