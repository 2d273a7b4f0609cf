import {
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Span as TraceSpan,
  trace,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { Span, SpanOptions, Tracing } from './tracing.ts';

const kinds: Readonly<Record<SpanOptions['kind'], SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/** Records spans with the global tracer provider of `@opentelemetry/api`. */
export function createTracing(): Tracing {
  const tracer = trace.getTracer('tallyhook');
  return {
    async span(name, { kind, attributes = {}, parent, links = [] }, work) {
      const parentContext = contextOf(parent);
      const options = { kind: kinds[kind], attributes, links: linksTo(links) };
      const span = tracer.startSpan(name, options, parentContext);
      try {
        return await context.with(trace.setSpan(parentContext, span), work, undefined, toSpan(span));
      } catch (error) {
        fail(span, typeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** The ids of the active span for a line of the log, by OpenTelemetry's names; none without one. */
export function activeTraceFields(): object {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}

function contextOf(parent: SpanOptions['parent']): Context {
  if (parent === undefined) return context.active();
  const spanContext = parent === null ? null : parseTraceparent(parent);
  return spanContext === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

function linksTo(traceparents: readonly string[]): Link[] {
  return traceparents.flatMap((traceparent) => {
    const spanContext = parseTraceparent(traceparent);
    return spanContext === null ? [] : { context: spanContext };
  });
}

function toSpan(span: TraceSpan): Span {
  return {
    get traceparent() {
      return formatTraceparent(span.spanContext());
    },
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) => fail(span, type),
  };
}

function fail(span: TraceSpan, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The code of an error or its class: a message may contain foreign text. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
