import type {
  Attributes,
  Link,
  SpanContext,
  SpanKind,
  SpanStatusCode,
  Tracer,
  TracerProvider,
} from '@opentelemetry/api';

/**
 * Where each copy of `@opentelemetry/api` 1.x registers what the SDK of the process provides. It is read here because
 * the API is an optional peer, and takes 28 ms and 12 MB: without an SDK, nothing of it is loaded.
 */
const registry = Symbol.for('opentelemetry.js.api.1');
const kinds = { server: 1 satisfies SpanKind.SERVER, consumer: 4 satisfies SpanKind.CONSUMER };
const failed = 2 satisfies SpanStatusCode.ERROR;

/** The description of a span by OpenTelemetry's semantic conventions: ids, names and numbers only. */
export interface SpanDescription {
  /** One of few, so without ids. */
  readonly name: string;
  readonly kind: keyof typeof kinds;
  readonly attributes: Attributes;
  /** W3C `traceparent` of the spans to link to; what cannot be parsed is left out. */
  readonly links: readonly unknown[];
}

/** The result of a span. `error` marks it as failed: one of few, never a message. */
export interface SpanEnd {
  readonly attributes?: Attributes;
  readonly error?: string | undefined;
}

/**
 * Does work in a span that starts a trace of its own. Without a registered OpenTelemetry SDK, the work alone.
 * @param work must not reject. Its argument is the W3C `traceparent` of the span; undefined without an SDK
 */
export async function inSpan<Result>(
  describe: () => SpanDescription,
  work: (traceparent: string | undefined) => Promise<Result>,
  describeEnd: (result: Result) => SpanEnd,
): Promise<Result> {
  const tracer = findTracer();
  if (tracer === null) return work(undefined);
  const { name, kind, attributes, links } = describe();
  const options = { root: true, kind: kinds[kind], attributes, links: links.flatMap(linkTo) };
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      const result = await work(formatTraceparent(span.spanContext()));
      const end = describeEnd(result);
      span.setAttributes({ ...end.attributes, 'error.type': end.error });
      if (end.error !== undefined) span.setStatus({ code: failed });
      return result;
    } finally {
      span.end();
    }
  });
}

function findTracer(): Tracer | null {
  const registered: { readonly trace?: TracerProvider } | undefined = Reflect.get(globalThis, registry);
  return registered?.trace?.getTracer('tallyhook') ?? null;
}

const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** By a `traceparent` of version 00 (W3C Trace Context). */
function linkTo(traceparent: unknown): Link | [] {
  const [, traceId, spanId, flags = ''] = traceparentPattern.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined) return [];
  return { context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true } };
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`;
}
