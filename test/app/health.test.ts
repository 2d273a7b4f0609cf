import { systemClock } from '@tallyhook/platform/clock';
import { coalesce } from '@tallyhook/platform/http/coalesce';
import { createHealth } from '@tallyhook/platform/http/health';
import { createHttpServer } from '@tallyhook/platform/http/server';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/core/metrics.ts';
import { openStore } from '../../src/features/store.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

/** The health routes over a real store, with the number of reads of each expensive source. */
async function served() {
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  const count = { probes: 0, scrapes: 0 };
  const metrics = createMetrics();
  metrics.watch({
    waitingTransactions: store.waiting,
    effects() {
      count.scrapes += 1;
      return store.outbox.sizes();
    },
    waitingSince: () => store.outbox.waitingSince(systemClock.now()),
    isConnected: () => true,
    invalidRequests: () => 0,
    stopped: () => ({ channels: 2, roles: 1 }),
    pausedGuilds: () => 0,
    keys: async () => new Map(),
    now: systemClock.now,
  });
  const checks = {
    store: coalesce(() => {
      count.probes += 1;
      return store.probe();
    }, 1_000),
    discord: async () => {},
  };
  const roles = new Map([['receive', { store: checks.store }]]);
  const app = express().use(createHealth({ checks, roles, metrics, isStopping: () => false }));
  const server = createHttpServer(app);
  const { url } = await server.listen('127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  return { url, count };
}

async function getJson(url: string): Promise<{ status: number; json: unknown }> {
  const response = await fetch(url);
  return { status: response.status, json: await response.json() };
}

/** `times` requests, ten at a time. */
async function flood(url: string, times: number): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < times; sent += 10)
    await Promise.all(Array.from({ length: 10 }, async () => statuses.add((await fetch(url)).status)));
  return statuses;
}

describe('a flood of requests without credentials', () => {
  it.each([
    ['/readyz', 'probes'],
    ['/readyz?role=receive', 'probes'],
    ['/metrics', 'scrapes'],
  ] as const)('on %s runs about one check per second', async (path, counted) => {
    const { url, count } = await served();
    const began = performance.now();
    expect(await flood(url + path, 300)).toEqual(new Set([200]));
    const seconds = (performance.now() - began) / 1_000;
    expect(count[counted]).toBeGreaterThan(0);
    expect(count[counted]).toBeLessThanOrEqual(1 + seconds);
  });
});

describe('readiness', () => {
  it.each(['role=recieve', 'role=', 'role=constructor', 'role=receive&role=receive', 'role=__proto__'])(
    'of an unknown role is a 400 with a hint (%s)',
    async (query) => {
      const { url, count } = await served();
      expect(await getJson(`${url}/readyz?${query}`)).toEqual({
        status: 400,
        json: { success: false, error: expect.stringContaining('use ?role=receive') },
      });
      expect(count.probes).toBe(0);
    },
  );
});
