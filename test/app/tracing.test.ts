import { setTimeout as wait } from 'node:timers/promises';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { startCollector } from '@tallyhook/platform/testing/collector';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { serve } from '@tallyhook/platform/testing/serve';
import { activeTraceFields, startExporter } from '@tallyhook/platform/tracing/exporter';
import { inSpan } from '@tallyhook/platform/tracing/span';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Registers a tracer provider, as a user of the package does, until the test has finished. */
function recordSpans(): { readonly spans: () => readonly ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return { spans: () => exporter.getFinishedSpans() };
}

const traceparentOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

function work(name: string, links: readonly unknown[] = [], error?: string): Promise<string | undefined> {
  return inSpan(
    () => ({ name, kind: 'consumer', attributes: { 'tallyhook.attempt': 1 }, links }),
    async (traceparent) => {
      await wait(1);
      return traceparent;
    },
    () => ({ attributes: { 'tallyhook.outcome': 'later' }, error }),
  );
}

describe('spans', () => {
  it('are recorded with the SDK of the caller, each in its own trace, and can be failed', async () => {
    const { spans } = recordSpans();
    const outer = await inSpan(
      () => ({ name: 'outer', kind: 'server', attributes: {}, links: [] }),
      async (traceparent) => [traceparent, await work('inner', [], 'later')],
      () => ({}),
    );
    const contexts = spans().map((span) => span.spanContext());
    expect(outer).toEqual(contexts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).reverse());
    expect(new Set(contexts.map(({ traceId }) => traceId)).size).toBe(2);
    expect(spans().map(({ name, kind, attributes, status }) => [name, kind, attributes, status.code])).toEqual([
      ['inner', 4, { 'tallyhook.attempt': 1, 'tallyhook.outcome': 'later', 'error.type': 'later' }, 2],
      ['outer', 1, {}, 0],
    ]);
  });

  it('are left out without an SDK', async () => {
    expect(await work('alone')).toBe(undefined);
  });

  it('link to what has a valid traceparent', async () => {
    const { spans } = recordSpans();
    const invalid = [
      ...[undefined, '', '00', `${traceparentOf('a')}-more`, traceparentOf('A'), traceparentOf('0')],
      ...['ff', '01'].map((version) => version + traceparentOf('a').slice(2)),
    ];
    await work('linked', [traceparentOf('a'), ...invalid, traceparentOf('b').replace(/01$/, '00')]);
    const links = spans()[0]?.links.map(({ context }) => [context.traceId, context.spanId, context.traceFlags]);
    expect(links).toEqual([
      ['a'.repeat(32), 'a'.repeat(16), 1],
      ['b'.repeat(32), 'b'.repeat(16), 0],
    ]);
  });

  it('name the trace in the lines of the log that are written meanwhile', async () => {
    const { spans } = recordSpans();
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const log = createLog({ level: 'info', secrets: [], destination: { write }, fields: activeTraceFields });
    await inSpan(
      () => ({ name: 'work', kind: 'server', attributes: {}, links: [] }),
      async () => {
        await wait(1);
        log.info('inside');
      },
      () => ({}),
    );
    log.info('outside');
    const traceId = spans()[0]?.spanContext().traceId;
    expect(lines.map((line) => JSON.parse(line).trace_id)).toEqual([traceId, undefined]);
  });
});

describe('an exporter', () => {
  const common = { serviceName: 'tallyhook', resourceAttributes: {}, sampler: 'always_on', samplerRatio: 1 } as const;

  function record(): Promise<void> {
    return inSpan(
      () => ({ name: 'work', kind: 'server', attributes: {}, links: [] }),
      async () => {},
      () => ({}),
    );
  }

  /** @param stoppingMs how much time passes while it stops; by default none, so that it waits for the collector */
  async function exportSpans(endpoint: string, count: number, stoppingMs = 0) {
    const { log, logged } = collectingLog();
    const clock = manualClock();
    const exporter = startExporter({ ...common, endpoint, headers: { authorization: 'hush' } }, clock);
    exporter.reportTo(log);
    for (let number = 0; number < count; number += 1) await record();
    await Promise.all([exporter.stop(), clock.advance(stoppingMs)]);
    return logged;
  }

  it('delays neither the work nor the shutdown while its collector does not respond', async () => {
    let hasGivenUp = false;
    const url = await serve((request) => void request.socket.on('close', () => (hasGivenUp = true)));
    await exportSpans(url, 5_000, second);
    expect(hasGivenUp).toBe(false);
  });

  it('logs once why its collector rejects spans', async () => {
    const logged = await exportSpans(
      await serve((_request, response) => void response.writeHead(401).end('no')),
      1_100,
    );
    expect(logged).toMatchObject([{ level: 40, reason: expect.stringContaining('Unauthorized') }]);
    expect(JSON.stringify(logged)).not.toMatch(/hush|stack/);
  });

  it.each([
    ['always_off', 1, 0],
    ['traceidratio', 0, 0],
    ['parentbased_always_on', 0, 20],
    ['parentbased_always_off', 1, 0],
    ['parentbased_traceidratio', 1, 20],
  ] as const)('samples by %s with %s', async (sampler, samplerRatio, expected) => {
    const collector = await startCollector();
    const exporter = startExporter(
      { ...common, sampler, samplerRatio, endpoint: collector.url, headers: {} },
      manualClock(),
    );
    for (let number = 0; number < 20; number += 1) await record();
    await exporter.stop();
    expect(collector.spans).toHaveLength(expected);
  });
});
