import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@tallyhook/platform/log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { onTestFinished } from 'vitest';
import { type RunningService, type ServiceOptions, startService } from '../src/service.ts';
import { type LeapingClock, leapingClock } from './leaping-clock.ts';
import { seededService } from './seeded-service.ts';

export interface Running {
  readonly service: RunningService;
  readonly clock: LeapingClock;
  /** The address of the database (`sqlite:` and its path), for a second service. */
  readonly database: string;
  readonly keys: { readonly server: string; readonly bot: string };
  /** The log lines. */
  readonly lines: string[];
  readonly port: number;
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export const serverId = '613425648685547541';
export const botId = '716390085896962058';
export const ownerId = '204255221017214977';
export const mira = { userId: '318044130796109825', username: 'mira' };
const noKeys = { server: '', bot: '' };
export const tobias = { userId: '222079895583457280', username: 'tobias_k' };

/** The example listings when the clocks of these tests begin. */
const copySeeded = seededService(leapingClock());

/** Starts the seeded service on a SQLite file and a free port. It is stopped after the test. */
export async function running(changes: Partial<ServiceOptions> & { clock?: LeapingClock } = {}): Promise<Running> {
  const isUsual = changes.clock === undefined && changes.database === undefined && changes.seed !== false;
  const clock = changes.clock ?? leapingClock();
  const copied = isUsual ? await copySeeded() : null;
  const database = copied?.database ?? changes.database ?? `sqlite:${tempDir()}/service.db`;
  const lines: string[] = [];
  const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    database,
    log,
    allowLoopbackTargets: true,
    seed: true,
    ...changes,
    clock,
  });
  onTestFinished(() => service.stop());
  return {
    service,
    clock,
    database,
    lines,
    keys: copied?.keys ?? service.seeded?.keys ?? noKeys,
    port: service.port,
    get: (path, headers = {}) => ask(service.baseUrl + path, { headers }),
  };
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
}

const responseHeaders: Readonly<Record<number, Record<string, string>>> = {
  302: { Location: '/elsewhere' },
  429: { 'Retry-After': '3600' },
};

/**
 * Starts a webhook receiver. `respond` returns the status for each delivery.
 * @param retryAfter the header of each response; by default an hour with the status 429
 */
export async function receiver(
  respond: (delivery: Received, count: number) => number | Promise<number> = () => 200,
  retryAfter?: string,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const delivery = { path: request.url ?? '', headers: request.headers, body };
      received.push(delivery);
      void Promise.resolve(respond(delivery, received.length)).then((status) => {
        const headers = retryAfter === undefined ? responseHeaders[status] : { 'Retry-After': retryAfter };
        response.writeHead(status, headers ?? {}).end('{"received":true}');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received };
}
