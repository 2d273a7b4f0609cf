import { type Fields, matches } from '@tallyhook/platform/json';
import type { EffectKind } from '../../core/outbox/effect-kind.ts';

export interface LostStreak {
  readonly userId: string;
  /** Its counted days. */
  readonly days: number;
}

/** Announces streaks that ended before a day. */
export interface LostStreaks {
  readonly channelId: string;
  readonly listing: string;
  /** The day after the last one without a vote (day number). */
  readonly until: number;
  readonly streaks: readonly LostStreak[];
  /** How many others ended. */
  readonly more: number;
}

const streakFields: Fields<LostStreak> = { userId: ['string'], days: ['number'] };
const fields: Fields<LostStreaks> = {
  channelId: ['string'],
  listing: ['string'],
  until: ['number'],
  streaks: ['object'],
  more: ['number'],
};

export const lostStreaksKind: EffectKind<'lostStreaks', LostStreaks> = {
  kind: 'lostStreaks',
  parse(value) {
    if (!matches<LostStreaks>(value, fields) || !Array.isArray(value.streaks)) return null;
    return value.streaks.every((streak) => matches<LostStreak>(streak, streakFields)) ? value : null;
  },
  withoutMember(content, userId) {
    const streaks = content.streaks.filter((streak) => streak.userId !== userId);
    return streaks.length === 0 ? null : { ...content, streaks };
  },
};
