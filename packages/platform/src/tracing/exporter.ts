import { context, type DiagLogFunction, DiagLogLevel, diag, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock.ts';
import { minute, second } from '../durations.ts';
import { messageOf } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Log } from '../log.ts';
import { createThrottledLog } from '../throttled-log.ts';
import { settleWithin } from '../with-timeout.ts';
import type { ExporterOptions } from './exporter-options.ts';

/*
 * The only file that uses the SDK: 100 ms and 24 MB, so it is imported only to export. The package does not depend on
 * the SDK; the program contains it.
 */

/** How long the shutdown waits for the collector. */
const flushTimeoutMs = second;
const problemLogIntervalMs = 10 * minute;
/** A longer message, which may quote the collector, is truncated (characters). */
const maxProblemLength = 200;

/**
 * Registers a tracer provider that sends the spans of this process to a collector, by OTLP over HTTP. Up to 2,048 spans
 * wait in memory, and further ones are dropped: a collector that does not respond delays nothing.
 */
export function startExporter(options: ExporterOptions, clock: Clock) {
  const { endpoint, headers, serviceName, resourceAttributes } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } });
  const attributes = { ...resourceAttributes, 'service.name': serviceName };
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(attributes)),
    sampler: samplerOf(options),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);

  return {
    /** For {@link createLog}: the ids of the active span. */
    logFields: activeTraceFields,
    /** Logs what goes wrong from now on. */
    reportTo(log: Log): void {
      const logThrottled = createThrottledLog({ log, clock, intervalMs: problemLogIntervalMs });
      const report: DiagLogFunction = (message, ...details) => {
        const reason = reasonOf([message, ...details]).slice(0, maxProblemLength);
        // Not in the trace that was active when the batch was started.
        context.with(ROOT_CONTEXT, () => {
          logThrottled('warn', 'tracing', 'spans could not be sent to the collector', { reason });
        });
      };
      const ignore = () => {};
      const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
      diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    },
    /** Sends what has not been sent yet, for at most a second. Never rejects. */
    async stop(): Promise<void> {
      const flushed = provider.shutdown().catch((error: unknown) => diag.error(messageOf(error)));
      await settleWithin(flushTimeoutMs, clock, flushed);
      trace.disable();
      context.disable();
      diag.disable();
    },
  };
}

function samplerOf({ sampler, samplerRatio }: ExporterOptions): Sampler {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(samplerRatio),
  };
  const root = roots[sampler.replace('parentbased_', '')]?.() ?? new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** The SDK reports an error as JSON of its properties, and anything else as a sentence. */
function reasonOf(parts: readonly unknown[]): string {
  const texts = parts.map((part) => {
    const error = typeof part === 'string' ? parseJson(part) : part;
    const isError = typeof error === 'object' && error !== null && 'message' in error;
    return String(isError ? error.message : part);
  });
  return texts.join(' ');
}

/** The ids of the active span for a line of the log, by OpenTelemetry's names; none without one. */
export function activeTraceFields(): object {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}
