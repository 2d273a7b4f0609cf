import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { startCollector } from '@tallyhook/platform/testing/collector';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { activeTraceFields, startExporter } from '@tallyhook/platform/tracing/exporter';
import { loadTracing } from '@tallyhook/platform/tracing/load-tracing';
import { formatTraceparent, parseTraceparent } from '@tallyhook/platform/tracing/traceparent';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimedEffect } from '../../../src/core/outbox/effect.ts';
import { tracePerform } from '../../../src/core/outbox/trace-perform.ts';
import { templateOf } from '../../../src/discord/rest.ts';
import { traceHttp } from '../../../src/lookup/http.ts';
import { recordSpans, summaryOf } from './recorded-spans.ts';

const traceparentOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

describe('a traceparent', () => {
  it.each([traceparentOf('a'), `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`])('is read and written: %s', (text) => {
    expect(formatTraceparent(parseTraceparent(text) ?? expect.fail('rejected'))).toBe(text);
  });

  it.each([
    '',
    '00',
    `${traceparentOf('a')}-more`,
    traceparentOf('A'),
    traceparentOf('0'),
    `ff${traceparentOf('a').slice(2)}`,
    `01${traceparentOf('a').slice(2)}`,
  ])('is ignored if it is not valid: "%s"', (text) => {
    expect(parseTraceparent(text)).toBe(null);
  });
});

describe('spans', () => {
  it('are recorded with the tracer provider of the caller, nested, and failed without the message of the error', async () => {
    const { spans } = recordSpans();
    const tracing = await loadTracing();
    const error = Object.assign(new Error('user 42 said something'), { code: 'queue_full' });
    const work = tracing.span(
      'outer',
      { kind: 'server', parent: null, links: [traceparentOf('a'), 'junk'] },
      async () => {
        await wait(1);
        return tracing.span('inner', { kind: 'client' }, () => Promise.reject(error));
      },
    );
    await expect(work).rejects.toBe(error);
    expect(summaryOf(spans())).toEqual([
      { name: 'inner', parent: 'outer', failed: true },
      { name: 'outer', parent: null, failed: true },
    ]);
    expect(spans()[0]?.attributes).toEqual({ 'error.type': 'queue_full' });
    expect(spans()[1]?.links.map(({ context }) => context.traceId)).toEqual(['a'.repeat(32)]);
    expect(JSON.stringify(spans().map(({ events, status }) => ({ events, status })))).not.toContain('said');
  });

  it('name the trace in the lines of the log that are written meanwhile', async () => {
    recordSpans();
    const tracing = await loadTracing();
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const log = createLog({ level: 'info', secrets: [], destination: { write }, fields: activeTraceFields });
    await tracing.span('work', { kind: 'internal', parent: traceparentOf('c') }, async () => {
      await wait(1);
      log.info('inside');
    });
    log.info('outside');
    expect(lines.map((line) => JSON.parse(line).trace_id)).toEqual(['c'.repeat(32), undefined]);
  });
});

describe('effects of one message', () => {
  const effect = (id: number, traceparent?: string) =>
    ({ id, kind: 'announcement', attempts: 1, deliveryId: id, ...(traceparent && { traceparent }) }) as ClaimedEffect;

  it('have a span in the trace of each, and the requests are in that of the first', async () => {
    const { spans } = recordSpans();
    const tracing = await loadTracing();
    const result: AttemptResult = { outcome: 'later', reason: 'text of Discord', scope: 'effects' };
    const perform = tracePerform(() => tracing.span('request', { kind: 'client' }, async () => result), tracing);
    expect(await perform([effect(1, traceparentOf('a')), effect(2, traceparentOf('b')), effect(3)])).toBe(result);
    const request = spans().find(({ name }) => name === 'request');
    expect(request?.spanContext().traceId).toBe('a'.repeat(32));
    const attempts = spans().filter(({ name }) => name === 'process announcement');
    expect(attempts.map((span) => [span.attributes['messaging.message.id'], span.spanContext().traceId])).toEqual([
      ['2', 'b'.repeat(32)],
      ['1', 'a'.repeat(32)],
    ]);
    expect(attempts[0]?.links.map(({ context }) => context.spanId)).toEqual([request?.parentSpanContext?.spanId]);
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual(['later', 'later']);
    expect(JSON.stringify(attempts.map(({ attributes }) => attributes))).not.toContain('text of Discord');
  });
});

describe('the names of requests', () => {
  it.each([
    ['/api/v10/channels/123/messages', '/api/v10/channels/{id}/messages'],
    ['/api/v10/interactions/123/aW50ZXJ/callback', '/api/v10/interactions/{id}/{token}/callback'],
    ['/api/v10/webhooks/123/lowercasetoken/messages/@original', '/api/v10/webhooks/{id}/{token}/messages/@original'],
    ['/api/v10/guilds/1/members/2/roles/3', '/api/v10/guilds/{id}/members/{id}/roles/{id}'],
  ])('contain neither ids nor tokens: %s', (path, template) => {
    expect(templateOf(path)).toBe(template);
  });

  it('of lookups contain no id of a member', async () => {
    const { spans } = recordSpans();
    const tracing = await loadTracing();
    const http = traceHttp({ get: async () => ({ data: null, meta: null }) }, 'https://lists.example/api/v1', tracing);
    await http.get({ path: 'votes/4242', badRequestCause: 'either' }, 0);
    await http.get({ path: 'reviews', badRequestCause: 'either' }, 0);
    expect(spans().map(({ name }) => name)).toEqual(['GET /votes/{id}', 'GET /reviews']);
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain('4242');
  });
});

describe('an exporter', () => {
  const common = { serviceName: 'tallyhook', resourceAttributes: {}, sampler: 'always_on', samplerRatio: 1 } as const;

  /** @param stoppingMs how much time passes while it stops; by default none, so that it waits for the collector */
  async function exportSpans(endpoint: string, count: number, stoppingMs = 0): Promise<string[]> {
    const lines: string[] = [];
    const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
    const clock = manualClock();
    const exporter = startExporter({ ...common, endpoint, headers: { authorization: 'hush' } }, clock);
    exporter.reportTo(log);
    const tracing = await loadTracing();
    for (let number = 0; number < count; number += 1) {
      await tracing.span('work', { kind: 'internal' }, async () => {});
    }
    await Promise.all([exporter.stop(), clock.advance(stoppingMs)]);
    return lines;
  }

  it('delays neither the work nor the shutdown while its collector does not respond', async () => {
    let hasGivenUp = false;
    const server = createServer((request) => void request.socket.on('close', () => (hasGivenUp = true)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await exportSpans(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 5_000, second);
    expect(hasGivenUp).toBe(false);
  });

  it('logs once why its collector rejects spans', async () => {
    const server = createServer((_request, response) => void response.writeHead(401).end('no'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const lines = await exportSpans(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1_100);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, reason: expect.stringContaining('Unauthorized') },
    ]);
    expect(lines[0]).not.toMatch(/hush|stack/);
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
    const tracing = await loadTracing();
    for (let number = 0; number < 20; number += 1) await tracing.span('work', { kind: 'internal' }, async () => {});
    await exporter.stop();
    expect(collector.spans).toHaveLength(expected);
  });
});
