import express from 'express';
import { describe, expect, it } from 'vitest';
import { hour } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { createOwnerApi } from '../../src/owner/api.ts';
import { createReplay } from '../../src/webhook/replay.ts';
import { serverAndBot } from '../support/listings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { receiving, serve } from '../support/receiving.ts';

const at = '2025-12-31T23:00:00.000Z';
const vote = { event: 'server_vote', userId: '42', timestamp: at };

async function owning() {
  const clock = manualClock();
  const { store, post } = await receiving({ clock });
  const log = createLog({ level: 'silent', secrets: [] });
  const replay = createReplay({ listings: serverAndBot(), recorder: store.recorder, clock });
  const cooldowns = new Map([
    ['server', 12 * hour],
    ['bot', 12 * hour],
  ]);
  const app = express().use(
    '/owner/api',
    createOwnerApi({ token: 'the token', records: store.records, ledger: store.ledger, replay, cooldowns, clock, log }),
  );
  const url = await serve(app);
  const ask = async (path: string, { method = 'GET', authorization = 'Bearer the token' } = {}) => {
    const response = await fetch(`${url}/owner/api${path}`, {
      method,
      headers: authorization ? { authorization } : {},
    });
    return { status: response.status, json: (await response.json()) as Record<string, never> };
  };
  return { store, post, ask };
}

describe('the owner API', () => {
  it('answers nobody without the token', async () => {
    const { ask } = await owning();
    for (const authorization of [
      '',
      'the token',
      'Bearer the toke',
      'Bearer the token2',
      'Basic the token',
      'Bearer ',
    ]) {
      expect(await ask('/summary', { authorization }), authorization).toMatchObject({
        status: 401,
        json: { success: false },
      });
    }
    expect((await ask('/summary')).status).toBe(200);
  });

  it("tells a member's account with every entry and its cause", async () => {
    const { post, ask } = await owning();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { ...vote, timestamp: '2025-12-31T23:30:00Z' });
    expect((await ask('/users/42')).json).toMatchObject({
      userId: '42',
      credits: 10,
      votes: 1,
      lastVoteAt: at,
      nextVoteAt: '2026-01-01T11:00:00.000Z',
      entries: [
        { cause: 'within_cooldown', credits: 0 },
        { cause: 'vote', credits: 10, at },
      ],
    });
    expect((await ask('/users/43')).json).toMatchObject({
      userId: '43',
      credits: 0,
      votes: 0,
      lastVoteAt: null,
      nextVoteAt: null,
    });
  });

  it('lists deliveries and effects by outcome and state, page by page', async () => {
    const { post, ask } = await owning();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { event: 'surprise' });
    const { json } = await ask('/deliveries?limit=2');
    expect(json).toMatchObject({ deliveries: [{ outcome: 'quarantined' }, { outcome: 'duplicate' }] });
    expect((await ask(`/deliveries?limit=2&before=${json['next']}`)).json).toEqual({
      deliveries: [
        {
          id: 1,
          receivedAt: '2026-01-01T00:00:00.000Z',
          family: 'vote',
          listing: 'server',
          kind: 'server_vote',
          outcome: 'recorded',
          reason: null,
          userId: '42',
          credits: 10,
          body: JSON.stringify(vote),
        },
      ],
      next: null,
    });
    expect((await ask('/deliveries?outcome=duplicate')).json).toMatchObject({
      deliveries: [{ id: 2, outcome: 'duplicate', credits: 0 }],
    });
    expect((await ask('/effects?state=waiting')).json).toEqual({
      effects: [{ id: 1, kind: 'announcement', state: 'waiting', attempts: 0, reason: null, deliveryId: 1 }],
      next: null,
    });
    expect((await ask('/summary')).json).toMatchObject({
      deliveries: { recorded: 1, duplicate: 1, quarantined: 1, test: 0 },
    });
  });

  it('replays what was quarantined, once, and nothing else', async () => {
    const { store, post, ask } = await owning();
    await post('/webhooks/vote', { ...vote, timestamp: '2026-01-01T01:00:00Z' });
    expect((await ask('/deliveries/1/replay', { method: 'POST' })).json).toMatchObject({ outcome: 'quarantined' });
    await post('/webhooks/vote', vote);
    expect((await ask('/deliveries/2/replay', { method: 'POST' })).json).toMatchObject({ outcome: 'duplicate' });
    expect(await store.ledger.account('42')).toMatchObject({ credits: 10 });
  });

  it('pays a quarantined vote when a replay understands it, and only the first of many replays', async () => {
    const clock = manualClock();
    const { store, post } = await receiving({ clock });
    await post('/webhooks/vote', { ...vote, timestamp: '2026-01-01T01:00:00Z' });
    await clock.advance(hour);
    const replay = createReplay({ listings: serverAndBot(), recorder: store.recorder, clock });
    const kept = await store.records.delivery(1);
    if (kept === null) throw new Error('not kept');
    const outcomes = (await Promise.all([replay(kept), replay(kept), replay(kept)])).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['duplicate', 'duplicate', 'recorded']);
    expect(await store.ledger.account('42')).toMatchObject({ credits: 10, votes: 1 });
    expect(await store.records.delivery(1)).toMatchObject({ outcome: 'recorded', credits: 10, userId: '42' });
  });

  it('refuses what it does not understand with a sentence', async () => {
    const { ask } = await owning();
    expect((await ask('/users/me')).status).toBe(400);
    expect((await ask('/deliveries?limit=lots')).status).toBe(400);
    expect((await ask('/deliveries?outcome=lost')).status).toBe(400);
    expect((await ask('/deliveries/99/replay', { method: 'POST' })).status).toBe(404);
    expect((await ask('/nothing')).status).toBe(404);
    expect((await ask('/users/%E0%A4%A')).status).toBe(400);
  });
});
