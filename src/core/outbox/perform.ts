import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { messageOf } from '@tallyhook/platform/errors';
import type { Span, SpanOptions, Tracing } from '@tallyhook/platform/tracing/tracing';
import type { ClaimedEffect, Effect, Perform } from './effect.ts';
import type { EffectKind } from './effect-kind.ts';
import { targetOfQueue } from './queue.ts';
import type { RetryPolicy } from './retry.ts';

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
 * Performs effects in a span that continues the trace of the first one, which may be that of another process. Each other
 * effect of the same message has a span in its own trace, with a link to the one that contains the requests.
 */
export function tracePerform(perform: Perform, tracing: Tracing): Perform {
  return async (effects) => {
    const [first, ...others] = effects;
    if (first === undefined) return perform(effects);
    return tracing.span(nameOf(first), optionsFor(first, effects.length), async (span) => {
      const attempt = perform(effects);
      const traced = others.filter(({ traceparent }) => traceparent !== undefined);
      const spans = traced.map((effect) => {
        const options = { ...optionsFor(effect, effects.length), links: [span.traceparent] };
        return tracing.span(nameOf(effect), options, async (other) => setResult(other, await attempt));
      });
      await Promise.all(spans);
      return setResult(span, await attempt);
    });
  };
}

function nameOf({ kind }: ClaimedEffect): string {
  return `process ${kind}`;
}

/** The queue is not an attribute: it can contain the id of a member. */
function optionsFor({ id, kind, attempts, deliveryId, traceparent }: ClaimedEffect, count: number): SpanOptions {
  return {
    kind: 'consumer',
    parent: traceparent ?? null,
    attributes: {
      'messaging.system': 'tallyhook',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': kind,
      'messaging.message.id': String(id),
      'messaging.batch.message_count': count > 1 ? count : undefined,
      'tallyhook.delivery.id': deliveryId ?? undefined,
      'tallyhook.attempt': attempts,
    },
  };
}

/** The reason is left out: it may quote an error of Discord. */
function setResult(span: Span, attempt: AttemptResult): AttemptResult {
  span.set({ 'tallyhook.outcome': attempt.outcome });
  if (attempt.outcome !== 'done') span.fail(attempt.outcome);
  return attempt;
}
