import { hash } from 'node:crypto';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import express from 'express';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Intake } from '../../../src/core/receiving/intake.ts';
import { WebhookReceiver } from '../../../src/core/receiving/receiver.ts';
import { decideVoteReward } from '../../../src/core/rewards/reward.ts';
import type { Recorder } from '../../../src/core/tally/recorder.ts';
import type { RoutedDelivery } from '../../../src/core/tally/tally.ts';
import { openStore } from '../../../src/features/store.ts';
import type { Event } from '../../../src/webhook/event.ts';
import { createEventKeys } from '../../../src/webhook/event-key.ts';
import { VerificationError } from '../../../src/webhook/verification/verification-error.ts';
import { type DeliveryRequest, type VerifiedEvent, verify } from '../../../src/webhook/verification/verify.ts';
import { premiumSecret, serverAndBot, voteSecret, withKeyOfOnly } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directoryOf, serve } from '../../support/start-receiver.ts';
import {
  authorization,
  delivery,
  type GeneratedDelivery,
  now,
  oldVoteSecret,
  sharedSecret,
} from './generated-deliveries.ts';

const vote = [oldVoteSecret, voteSecret, sharedSecret];
const premium = [premiumSecret, sharedSecret];
const keys = createEventKeys(hash);
const rules = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 1 };
const configured = { voteSecrets: vote, premiumSecrets: premium, voteAuthorization: authorization };

/** The receiver over HTTP, with what it understood of the last delivery. */
async function startCapturingReceiver(kind: 'server' | 'bot' | null) {
  const clock = manualClock(now);
  const store = await openStore(newSqliteUrl(), clock);
  onTestFinished(() => store.close());
  let captured: { readonly routed: RoutedDelivery; readonly body: string } | null = null;
  const recorder: Recorder = {
    ...store.recorder,
    record(received, routed) {
      captured = { routed, body: received.body };
      return store.recorder.record(received, routed);
    },
  };
  const log = createLog({ level: 'silent', secrets: [] });
  const listings = kind === null ? serverAndBot(configured) : withKeyOfOnly(kind, configured);
  const intake = new Intake({ recorder, clock, log });
  const receiver = new WebhookReceiver({ intake, directory: directoryOf(listings), clock, log });
  const url = await serve(express().use(receiver.webhooks));
  return async ({ body, headers }: GeneratedDelivery) => {
    captured = null;
    const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body: Uint8Array.from(body) });
    const { error = null } = (await response.json()) as { error?: string };
    return { status: response.status, error, captured: captured as Captured | null };
  };
}

interface Captured {
  readonly routed: RoutedDelivery;
  /** As it is stored. */
  readonly body: string;
}

interface Verdict {
  readonly status: number;
  /** Why it was rejected; null if it was accepted. */
  readonly error: string | null;
  readonly event: VerifiedEvent | null;
}

function verdictOfReceiver(result: { status: number; error: string | null; captured: Captured | null }): Verdict {
  const { status, error, captured } = result;
  if (captured === null) return { status, error, event: null };
  const { routed, body: raw } = captured;
  switch (routed.type) {
    case 'event':
    case 'order':
      return { status, error, event: inWordsOfHandlers(routed.event, raw) };
    case 'ignored':
      throw new Error('Only other sites have events to ignore.');
    case 'test': {
      const { kind, userId } = routed.test;
      return { status, error, event: { type: 'test', kind, userId, listing: expect.anything(), key: null, raw } };
    }
    case 'quarantine':
      return {
        status,
        error: `The delivery is genuine, but cannot be processed: ${routed.reason}.`,
        event: null,
      };
  }
}

/** What the receiver pays and stores of an event, as `verify` is to describe it. */
function inWordsOfHandlers(event: Event, raw: string): VerifiedEvent {
  const { target: listing, creditsAwarded, at } = event;
  const stated = typeof creditsAwarded === 'number' ? creditsAwarded : null;
  if (event.family === 'vote') {
    const { kind, userId } = event;
    const { cause, reason } = decideVoteReward(event, { ...rules, whenDenied: 0 }, false);
    const denied = cause === 'denied';
    const denial = denied && event.denial !== null ? reason : null;
    const key = at === null ? null : keys.voteKey(event, `${listing.kind} ${listing.id}`, 0);
    return { type: 'vote', kind, listing, userId, at, credits: denied ? 0 : stated, denied, reason: denial, key, raw };
  }
  const { family: _family, isRecipient: _isRecipient, target: _target, creditsAwarded: _credits, ...fields } = event;
  const isIdentified = event.orderIds.length > 0 || at !== null || event.periodEnd !== null;
  const key = isIdentified
    ? keys.premiumKeys(event, event.orderIds, { community: '', body: raw, receivedAt: 0 })[0]
    : null;
  return { type: 'premium', ...fields, listing, credits: stated, key, raw };
}

async function verdictOfVerify(request: DeliveryRequest, kind: 'server' | 'bot' | null): Promise<Verdict> {
  try {
    return { status: 200, error: null, event: await verify(request, { vote, premium, authorization }, { kind, now }) };
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    return { status: error.status, error: error.message, event: null };
  }
}

/** The same delivery as every runtime and framework passes it on. */
function formsOf({ body, headers }: GeneratedDelivery): DeliveryRequest[] {
  const bytes = Uint8Array.from(body);
  const lists = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
  return [
    new Request('http://localhost/', { method: 'POST', headers, body: bytes }),
    { headers: new Headers(headers), body: bytes.buffer },
    { headers: Object.fromEntries(lists), body },
    { headers: new Map(Object.entries(headers)), body: new Blob([bytes]).stream() },
    // Only the text of valid UTF-8 has the same bytes.
    ...(isText(body) ? [{ headers: Object.entries(headers), body: body.toString() }] : []),
    ...(isText(body) && isSerialised(body) ? [{ headers, body: JSON.parse(body.toString()) }] : []),
  ] as DeliveryRequest[];
}

const isText = (body: Buffer) => Buffer.from(body.toString()).equals(body);

function isSerialised(body: Buffer): boolean {
  const text = body.toString();
  try {
    return !(typeof JSON.parse(text) === 'string') && JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const seen = new Set<string>();
/** The same in each run, with every result that the generator is for. */
const examples = fc.sample(delivery, { seed: 115, numRuns: 50 }).map((each) => [each] as [GeneratedDelivery]);

describe.each(['server', 'bot', null] as const)('verify and the receiver of a %s', (kind) => {
  it('agree on every delivery: response, reason and event', async () => {
    const receive = await startCapturingReceiver(kind);
    await fc.assert(
      fc.asyncProperty(delivery, async (generated) => {
        const expected = verdictOfReceiver(await receive(generated));
        for (const request of formsOf(generated)) expect(await verdictOfVerify(request, kind)).toEqual(expected);
        seen.add(`${expected.status} ${expected.event?.type ?? expected.error}`);
      }),
      { numRuns: 90, examples },
    );
  });
});

describe('the generated deliveries', () => {
  it('have every result', () => {
    for (const result of [
      ...['200 vote', '200 premium', '200 test', '200 The delivery', '400 ', '401 The header', '413 ', '415 '],
      ...['401 The signature does not match', '401 The signature is valid'],
    ])
      expect(
        [...seen].some((each) => each.startsWith(result)),
        result,
      ).toBe(true);
  });
});
