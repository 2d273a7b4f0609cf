import { systemClock } from '@tallyhook/platform/clock';
import { coalesce } from '@tallyhook/platform/http/coalesce';
import { createHealth, type HealthOptions } from '@tallyhook/platform/http/health';
import type { ReadinessCheck } from '@tallyhook/platform/http/readiness';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/core/metrics.ts';
import { openStore } from '../../src/features/store.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

/** The health routes over a real store, with the number of reads of each expensive source. */
async function served(options: Partial<HealthOptions> & { discord?: ReadinessCheck } = {}) {
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
    discord: options.discord ?? (async () => {}),
  };
  const roles = new Map([['receive', { store: checks.store }]]);
  const app = express().use(createHealth({ checks, roles, metrics, isStopping: () => false, ...options }));
  const server = createHttpServer(app);
  const { url } = await server.listen('127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  return { url, count };
}

const disconnected: ReadinessCheck = async () => {
  throw new Error('not connected to the gateway');
};

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

  it('gets new values after a second', async () => {
    const clock = manualClock();
    const { url, count } = await served({ clock });
    for (const scrapes of [1, 1, 2]) {
      await flood(`${url}/metrics`, 10);
      expect(count.scrapes).toBe(scrapes);
      await clock.advance(500);
    }
  });
});

describe('readiness', () => {
  it('of the whole process requires Discord; of the role receive only the store', async () => {
    const { url } = await served({ discord: disconnected });
    expect(await getJson(`${url}/readyz`)).toEqual({
      status: 503,
      json: {
        ready: false,
        parts: { store: { ready: true }, discord: { ready: false, reason: 'not connected to the gateway' } },
      },
    });
    expect(await getJson(`${url}/readyz?role=receive`)).toEqual({
      status: 200,
      json: { ready: true, parts: { store: { ready: true } } },
    });
  });

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

  it('ends when the process starts to stop, for every role', async () => {
    const { url } = await served({ isStopping: () => true });
    for (const path of ['/readyz', '/readyz?role=receive']) {
      const { status, json } = await getJson(url + path);
      expect(status).toBe(503);
      expect(json).toMatchObject({
        ready: false,
        reason: 'The process is stopping.',
        parts: { store: { ready: true } },
      });
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
