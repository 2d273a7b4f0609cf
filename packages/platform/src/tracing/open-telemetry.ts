import type { Context, Link, Span as TraceSpan } from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { Span, SpanOptions, Tracing } from './tracing.ts';

/** What the package exports. It is passed, because a static import would have to be resolved by every bundler. */
type OpenTelemetry = typeof import('@opentelemetry/api');

/** Records spans with the global tracer provider of `@opentelemetry/api`. */
export function createTracing({ context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }: OpenTelemetry): Tracing {
  const tracer = trace.getTracer('tallyhook');
  const kinds = {
    internal: SpanKind.INTERNAL,
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    consumer: SpanKind.CONSUMER,
  };

  function contextOf(parent: SpanOptions['parent']): Context {
    if (parent === undefined) return context.active();
    const spanContext = parent === null ? null : parseTraceparent(parent);
    return spanContext === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
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

function linksTo(traceparents: readonly string[]): Link[] {
  return traceparents.flatMap((traceparent) => {
    const spanContext = parseTraceparent(traceparent);
    return spanContext === null ? [] : { context: spanContext };
  });
}

/** The code of an error or its class: a message may contain external text. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
