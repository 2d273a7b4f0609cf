import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { premiumKinds, voteKinds } from '../../../src/ledger/event.ts';
import { StoreUnavailableError } from '../../../src/platform/errors.ts';
import {
  decodeJob,
  decodeResult,
  encodeError,
  encodeJob,
  encodeResult,
} from '../../../src/store/commits/worker-protocol.ts';
import type { Job } from '../../../src/store/writes/writes.ts';
import { outcomes } from '../../../src/tally/tally.ts';

const time = fc.nat();
const text = fc.string({ unit: 'binary' });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const target = fc.record({ kind: fc.constantFrom('server', 'bot', null), id: maybe(text) });
const credits = fc.oneof(fc.nat(), fc.boolean(), fc.constant(null));
const vote = fc.record({
  family: fc.constant('vote'),
  kind: fc.constantFrom(...voteKinds),
  target,
  userId: text,
  at: maybe(time),
  creditsAwarded: credits,
  denial: maybe(text),
});
const premium = fc.record({
  family: fc.constant('premium'),
  kind: fc.constantFrom(...premiumKinds),
  target,
  userId: text,
});
const listing = fc.record({ name: text, rules: fc.record({ perVote: fc.nat() }), announceChannelId: maybe(text) });

/** A record of an event, as the intake asks for it. */
const recording = fc.tuple(time, text, fc.oneof(vote, premium), listing).map(([receivedAt, body, event, of]): Job => {
  const delivery = { receivedAt, family: event.family, body };
  return { name: 'record', args: [delivery, { type: 'event', event, listing: of }] };
});
const others: readonly Job[] = [
  { name: 'record', args: [{}, { type: 'quarantine', kind: null, reason: 'odd', listing: null }] },
  { name: 'probe', args: [1] },
];

describe('what crosses to the thread that writes', () => {
  it('arrives as it was sent', () => {
    fc.assert(
      fc.property(fc.oneof(recording, fc.constantFrom(...others)), (job) => {
        expect(decodeJob(structuredClone(encodeJob(job)))).toEqual(job);
      }),
    );
  });

  it('comes back as what became of it', () => {
    const recorded = fc.record({
      outcome: fc.constantFrom(...outcomes),
      deliveryId: fc.nat(),
      credits: fc.nat(),
      reason: maybe(text),
    });
    fc.assert(
      fc.property(recorded, (result) => {
        expect(decodeResult(structuredClone(encodeResult({ name: 'record', args: [] }, result)))).toEqual(result);
      }),
    );
    expect(decodeResult(encodeResult({ name: 'probe', args: [1] }, undefined))).toBeUndefined();
    expect(() => decodeResult(encodeError(new StoreUnavailableError(new Error('full'))))).toThrow(
      StoreUnavailableError,
    );
    expect(() => decodeResult(encodeError(new Error('no such table')))).toThrow('no such table');
  });
});
