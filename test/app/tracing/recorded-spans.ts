import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { onTestFinished } from 'vitest';

/** Registers a tracer provider, as a user of the package does, until the test has finished. */
export function recordSpans(): { readonly spans: () => readonly ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return { spans: () => exporter.getFinishedSpans() };
}

/** What tests compare of a span; `parent` is the name of the span in the list, or null. */
export function summaryOf(spans: readonly ReadableSpan[]) {
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext, status }) => ({
    name,
    parent: nameOf.get(parentSpanContext?.spanId ?? '') ?? null,
    failed: status.code === 2,
  }));
}
