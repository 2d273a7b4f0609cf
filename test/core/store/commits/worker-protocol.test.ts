import { StoreUnavailableError } from '@tallyhook/platform/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommunityId } from '../../../../src/core/ledger/account.ts';
import { plainRewards } from '../../../../src/core/rewards/rules.ts';
import {
  createJobDecoder,
  createJobEncoder,
  decodeResult,
  encodeError,
  encodeResult,
  type Job,
} from '../../../../src/core/store/commits/group-commit.ts';
import type { RecordingJob } from '../../../../src/core/tally/recorder.ts';
import { premiumKinds, voteKinds } from '../../../../src/webhook/event.ts';
import { outcomes } from '../../../../src/webhook/response.ts';

const time = fc.nat();
const text = fc.string({ unit: 'binary' });
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const target = fc.record({ kind: fc.constantFrom('server', 'bot', null), id: nullable(text) });
const creditsAwarded = fc.oneof(fc.nat(), fc.boolean(), fc.constant(null));
const vote = fc.record({
  family: fc.constant('vote'),
  kind: fc.constantFrom(...voteKinds),
  target,
  userId: text,
  at: nullable(time),
  creditsAwarded,
  denial: nullable(text),
});
const premium = fc.record({
  family: fc.constant('premium'),
  kind: fc.constantFrom(...premiumKinds),
  target,
  userId: nullable(text),
  isRecipient: fc.boolean(),
  giftedBy: nullable(text),
  orderIds: fc.array(text),
  tier: nullable(text),
  at: nullable(time),
  periodEnd: nullable(time),
  creditsAwarded,
});
const listing = fc.record({
  name: text,
  kind: fc.constantFrom('server', 'bot'),
  id: nullable(text),
  rewards: fc
    .record({ perVote: fc.nat(), perPremium: fc.nat(), whenDenied: fc.nat(), cooldownMs: fc.nat() })
    .map(plainRewards),
  community: fc.record({
    guildId: nullable(text),
    id: fc.nat().map((id) => id as CommunityId),
    timeZone: text,
    listings: fc.array(text),
  }),
  announced: fc.record({ votes: fc.boolean(), milestones: fc.boolean(), premium: fc.boolean(), party: fc.boolean() }),
  announceChannelId: nullable(text),
  premiumChannelId: nullable(text),
});

const record = (args: RecordingJob<'record'>['args']): Job => ({ name: 'record', args });

const recordEventJob = fc
  .tuple(time, text, fc.oneof(vote, premium), listing)
  .map(([receivedAt, body, event, context]) =>
    record([
      { receivedAt, family: event.family, body },
      { type: 'event', event, listing: context },
    ]),
  );
const otherJobs = [
  record([
    { receivedAt: 1, family: 'vote', body: '{}' },
    { type: 'quarantine', kind: null, reason: 'odd', listing: null, origin: [] },
  ]),
  { module: 'probes', name: 'write', args: [1] as never[] },
];

describe('the protocol of the write worker', () => {
  it('decodes each job as it was before encoding', () => {
    const jobs = fc.array(fc.oneof(recordEventJob, fc.constantFrom(...otherJobs)));
    fc.assert(
      fc.property(jobs, (some) => {
        const [encodeJob, decodeJob] = [createJobEncoder(), createJobDecoder()];
        // The second vote for a listing is sent without it.
        for (const job of [...some, ...some]) expect(decodeJob(structuredClone(encodeJob(job)))).toEqual(job);
      }),
    );
  });

  it('sends a listing once, also those of 5,000', () => {
    const [encodeJob, decodeJob] = [createJobEncoder(), createJobDecoder()];
    const votes = fc.sample(fc.tuple(vote, listing), 5_000).map(([event, context]) =>
      record([
        { receivedAt: 1, family: 'vote', body: '{}' },
        { type: 'event', event, listing: context },
      ]),
    );
    const send = (job: (typeof votes)[number]) => {
      const encoded = structuredClone(encodeJob(job));
      expect(decodeJob(encoded)).toEqual(job);
      return JSON.stringify(encoded).length;
    };
    const lengths = votes.map(send);
    // Those at the beginning were forgotten by now, and are sent again.
    for (const [place, length] of votes.slice(0, 100).map(send).entries())
      expect(length).toBeGreaterThanOrEqual(lengths[place] ?? 0);
    for (const [place, length] of votes.slice(-100).map(send).entries())
      expect(length).toBeLessThan(lengths.at(place - 100) ?? 0);
  });

  it('decodes results and errors', () => {
    const recorded = fc.record({
      outcome: fc.constantFrom(...outcomes),
      deliveryId: fc.nat(),
      credits: fc.nat(),
      reason: nullable(text),
      isAnnounced: fc.boolean(),
      causes: fc.array(fc.constantFrom('vote', 'streak', 'milestone')),
    });
    fc.assert(
      fc.property(recorded, (result) => {
        expect(decodeResult(structuredClone(encodeResult(record([] as never), result)))).toEqual(result);
      }),
    );
    expect(decodeResult(encodeResult({ module: 'probes', name: 'write', args: [] }, undefined))).toBeUndefined();
    expect(() => decodeResult(encodeError(new StoreUnavailableError(new Error('full'))))).toThrow(
      StoreUnavailableError,
    );
    expect(() => decodeResult(encodeError(new Error('no such table')))).toThrow('no such table');
  });
});
