/*
 * The port through which the program records spans, without a reference to OpenTelemetry, which need not be installed.
 * What is traced receives a `Tracing`, or null: then nothing is called, allocated or loaded.
 */

/**
 * Attributes by OpenTelemetry's semantic conventions: ids, names and numbers only. Undefined ones are left out.
 * @category Start here
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A running span. @category Start here */
export interface Span {
  /** W3C `traceparent` of this span, by which another process can continue its trace. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param type one of few: the code or the class of the error, never its message */
  fail(type: string): void;
}

/** What a span is, and what it belongs to. @category Start here */
export interface SpanOptions {
  readonly kind: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /**
   * W3C `traceparent` of the span that it continues; null for a new trace. By default it continues the active span, if
   * there is one. What cannot be parsed counts as null.
   */
  readonly parent?: string | null;
  /** W3C `traceparent` of related spans. What cannot be parsed is left out. */
  readonly links?: readonly string[];
}

/** Records spans. @category Start here */
export interface Tracing {
  /**
   * Runs `work` in a new span, which is active until the promise settles. If it rejects, the span has failed.
   * @param name one of few, so without ids
   */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
}
