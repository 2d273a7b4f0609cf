import type { Span, SpanAttributes, Tracing } from '@tallyhook/platform/tracing/tracing';
import type { Recorder } from './recorder.ts';
import type { RecordedDelivery, RoutedDelivery } from './tally.ts';

/**
 * A recorder with a span for each delivery, from the call to the commit, which it shares with other deliveries. The
 * effects of the delivery continue this span.
 * @param isServer whether the database is a server instead of a file
 */
export function traceRecorder(recorder: Recorder, isServer: boolean, tracing: Tracing | null): Recorder {
  if (tracing === null) return recorder;
  const system = isServer ? 'postgresql' : 'sqlite';
  const attributes = { 'db.system.name': system, 'db.operation.name': 'COMMIT', 'db.collection.name': 'deliveries' };

  const commit = (
    routed: RoutedDelivery,
    record: (trace: Pick<Span, 'traceparent'>) => Promise<RecordedDelivery>,
  ): Promise<RecordedDelivery> =>
    tracing.span('COMMIT deliveries', { kind: 'client', attributes }, async (span) => {
      span.set(routeAttributes(routed));
      const recorded = await record({ traceparent: span.traceparent });
      span.set({ 'tallyhook.delivery.id': recorded.deliveryId, 'tallyhook.outcome': recorded.outcome });
      return recorded;
    });

  return {
    record: (delivery, routed) => commit(routed, (trace) => recorder.record({ ...delivery, ...trace }, routed)),
    recordReplay: (id, delivery, routed, now) =>
      commit(routed, (trace) => recorder.recordReplay(id, { ...delivery, ...trace }, routed, now)),
  };
}

/** How the delivery was routed. A payload that is not processable may contain any text. */
function routeAttributes(routed: RoutedDelivery): SpanAttributes {
  switch (routed.type) {
    case 'event':
      return { 'tallyhook.listing': routed.listing.name, 'tallyhook.event': routed.event.kind };
    case 'test':
      return { 'tallyhook.listing': routed.listing.name, 'tallyhook.event': routed.test.kind };
    case 'order':
      return { 'tallyhook.event': routed.event.kind };
    case 'ignored':
    case 'quarantine':
      return { 'tallyhook.listing': routed.listing ?? undefined };
  }
}
