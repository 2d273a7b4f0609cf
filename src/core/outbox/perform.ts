import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { day, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Effect, EffectKind, Perform } from './effect-kind.ts';
import { laneOfQueue, targetOfQueue } from './queue.ts';

/** Carries out an effect. An error counts as a failure of the effect alone, with an unknown result. */
export type Handle<Content extends object> = (effect: Effect<Content>) => Promise<AttemptResult>;

/** Carries out the effects of one kind that are claimed together. */
export interface EffectHandler<Name extends string = string> {
  readonly kind: Name;
  /** When effects are repeated to which Discord states no delay; by default as `backoff` says. */
  readonly policy?: RetryPolicy;
  perform(effects: readonly Effect[]): Promise<AttemptResult>;
}

/** Effects of a kind that are claimed one by one: all but announcements. */
export function handle<Name extends string, Content extends object>(
  kind: EffectKind<Name, Content>,
  perform: Handle<Content>,
  policy?: RetryPolicy,
): EffectHandler<Name> {
  return {
    ...handleTogether(kind, async ([effect]) => (effect === undefined ? { outcome: 'done' } : perform(effect))),
    ...(policy && { policy }),
  };
}

/** The announcements of one message, which share channel and nonce. */
export function handleTogether<Name extends string, Content extends object>(
  { kind }: EffectKind<Name, Content>,
  perform: (effects: readonly Effect<Content>[]) => Promise<AttemptResult>,
): EffectHandler<Name> {
  // What is claimed was parsed by its kind, so the contents of effects of this kind are of its type.
  return { kind, perform };
}

/** Passes claimed effects, which are of one kind, to its handler. Buries those that cannot be read or have no handler. */
export function createPerform(handlers: readonly EffectHandler[]): Perform {
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]));
  return async (effects) => {
    const [unreadable] = effects.filter((effect) => 'reason' in effect);
    if (unreadable !== undefined) return { outcome: 'bury', reason: unreadable.reason };
    const readable = effects.filter((effect) => 'content' in effect);
    const [first] = readable;
    if (first === undefined) return { outcome: 'done' };
    try {
      return (await byKind.get(first.kind)?.perform(readable)) ?? withoutHandler(first);
    } catch (error) {
      return { outcome: 'later', reason: `unexpected error: ${messageOf(error)}`, scope: 'effects' };
    }
  };
}

function withoutHandler({ kind }: Effect): AttemptResult {
  return { outcome: 'bury', reason: `This version does not carry out effects of the kind "${kind}".` };
}

/** Knows the channels and roles of which Discord rejects every request now. */
export interface RequestGuard {
  /** When to try again; null if requests are to be sent. */
  check(target: string): RetryLater | null;
}

/**
 * Leaves effects alone of which Discord would reject all, so that they cost no request and no work. What the handlers
 * have to settle, such as a role that was paid for, or what a deleted channel leaves behind, is left to them.
 */
export function guardPerform(perform: Perform, guard: RequestGuard): Perform {
  return async (effects) => {
    const [effect] = effects;
    return (effect === undefined ? null : guard.check(targetOfQueue(effect.queue))) ?? perform(effects);
  };
}

/**
 * The delay before the next attempt (ms), or `bury` to give up. `attempts` counts the attempts started, `age` is in ms,
 * `random` is in [0, 1).
 */
export type RetryPolicy = (
  effect: { readonly attempts: number; readonly age: number },
  random: number,
) => number | 'bury';

/** Doubled by each attempt. */
const baseDelayMs = 500;
/** Delivery must resume within 15 s of the end of a short outage, so a young effect never waits longer than this. */
const maxDelayWhileYoungMs = 8 * second;
const youngAgeMs = 15 * minute;
/** No effect waits longer for its next attempt, unless it is for an endpoint outside of Discord. */
export const maxDelayMs = 2 * minute;
/**
 * The longest wait between requests to an endpoint, which the operator cannot repair: the last steps of their schedule.
 */
const maxWebhookDelayMs = day;
const maxAgeMs = 7 * day;

/** The longest wait for the next attempt at effects of a queue (ms). */
export function maxDelayOf(queue: string): number {
  return laneOfQueue(queue) === 'webhooks' ? maxWebhookDelayMs : maxDelayMs;
}

/**
 * Exponential backoff with jitter (50 to 100 % of the delay), capped at 8 s for young effects; gives up after seven
 * days.
 */
export const backoff: RetryPolicy = ({ attempts, age }, random) => {
  if (age > maxAgeMs) return 'bury';
  const cap = age < youngAgeMs ? maxDelayWhileYoungMs : maxDelayMs;
  const delay = Math.min(cap, baseDelayMs * 2 ** Math.min(attempts, 20));
  return Math.round(delay * (0.5 + random / 2));
};
