import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Span, SpanOptions, Tracing } from '@tallyhook/platform/tracing/tracing';
import type { ClaimedEffect, Perform } from './effect.ts';

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
