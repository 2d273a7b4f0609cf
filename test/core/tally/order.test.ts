import { day } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOrderTimes, serializeOrderTimes } from '../../../src/core/store/recording/queries.ts';
import { applyToOrder, mergeOrders, type Order } from '../../../src/core/tally/order.ts';
import type { Premium } from '../../../src/webhook/event.ts';
import { serverAndBot } from '../../support/listings.ts';
import { premiumOf } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 0, 1);
const [listing] = serverAndBot();
type Occurrence = Pick<Premium, 'kind' | 'at' | 'periodEnd'> & { readonly receivedAt?: number };

const toEvent = ({ kind, at, periodEnd }: Occurrence) => premiumOf({ kind, at, periodEnd });

/** The order after events that arrive in this order, a minute apart, each read from what was stored before. */
function orderAfter(occurrences: readonly Occurrence[]): Pick<Order, 'state' | 'periodEnd'> | null {
  const order = occurrences.reduce<Order | null>((stored, occurrence, index) => {
    const receivedAt = occurrence.receivedAt ?? start + index * 60_000;
    const after = applyToOrder(toEvent(occurrence), stored, { listing, receivedAt });
    return after === null ? null : { ...after, times: parseOrderTimes(serializeOrderTimes(after.times)) };
  }, null);
  return order === null ? null : { state: order.state, periodEnd: order.periodEnd };
}

const paid = (at: number | null, periodEnd: number | null): Occurrence => ({
  ...{ kind: 'subscription.renewed', at: at === null ? null : start + at * day },
  periodEnd: periodEnd === null ? null : start + periodEnd * day,
});
const expired = (at: number | null, periodEnd: number | null): Occurrence => ({
  ...paid(at, periodEnd),
  kind: 'subscription.expired',
});

describe('an order', () => {
  it.each([
    ['expires before the end of its period', [paid(0, 30), expired(10, 30)], 'expired'],
    ['expires although the expiry states a later period', [paid(0, 30), expired(10, 60)], 'expired'],
    ['expires although the expiry states an earlier period', [paid(0, 30), expired(10, 5)], 'expired'],
    ['expires at the time of its payment', [paid(0, null), expired(0, null)], 'expired'],
    ['is renewed after it has expired', [paid(0, 30), expired(30, 30), paid(40, 70)], 'active'],
    ['is not ended by an older expiry', [paid(0, 30), paid(40, 70), expired(30, 90)], 'active'],
    ['without times expires in its period', [paid(null, 30), expired(null, 30)], 'expired'],
    ['without times is not ended by an earlier period', [paid(null, 60), expired(null, 30)], 'active'],
    ['without any time expires when the expiry arrives last', [paid(null, null), expired(null, null)], 'expired'],
    ['without any time is active when the payment arrives last', [expired(null, null), paid(null, null)], 'active'],
    ['of a sender that states a time in payments alone', [paid(0, 30), expired(null, null)], 'expired'],
    ['of a sender that states a period in payments alone', [expired(null, null), paid(null, 60)], 'active'],
  ] as const)('%s', (_name, events, state) => {
    expect(orderAfter(events)?.state).toBe(state);
  });

  const kind = fc.constantFrom(
    'premium_purchase' as const,
    'subscription.renewed' as const,
    'subscription.renewed' as const,
    'subscription.expired' as const,
    'subscription.expired' as const,
    'subscription.revoked' as const,
  );
  const moment = fc.integer({ min: 0, max: 6 }).map((days) => start + days * day);
  const maybe = fc.option(moment, { nil: null });
  it.each<[string, fc.Arbitrary<Occurrence>]>([
    ['with times', fc.record({ kind, at: moment, periodEnd: maybe })],
    ['with periods', fc.record({ kind, at: fc.constant(null), periodEnd: moment })],
    ['with periods and some times', fc.record({ kind, at: maybe, periodEnd: moment })],
    [
      'with arrivals alone',
      fc.record({ kind, at: fc.constant(null), periodEnd: fc.constant(null), receivedAt: moment }),
    ],
  ])('%s is the same in whatever order its events arrive', (_name, occurrence) => {
    const events = fc.array(occurrence, { minLength: 1, maxLength: 8 });
    const shuffled = events.chain((inTime) =>
      fc.tuple(fc.constant(inTime), fc.shuffledSubarray(inTime, { minLength: inTime.length })),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(orderAfter(other)).toEqual(orderAfter(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it('with times has expired if its last event is an expiry', () => {
    const events = fc.uniqueArray(fc.record({ kind, at: fc.integer({ min: 0, max: 50 }), periodEnd: maybe }), {
      selector: ({ at }) => at,
      minLength: 1,
    });
    fc.assert(
      fc.property(events, (inTime) => {
        const last = inTime.toSorted((a, b) => b.at - a.at).find(({ kind: each }) => each !== 'subscription.revoked');
        const isRevoked = inTime.some(({ kind: each }) => each === 'subscription.revoked');
        const state = last?.kind === 'subscription.expired' ? 'expired' : 'active';
        expect(orderAfter(inTime)?.state).toBe(isRevoked ? 'revoked' : state);
      }),
    );
  });

  it('that is found to be another one has the times of both', () => {
    const of = (occurrence: Occurrence) => applyToOrder(toEvent(occurrence), null, { listing, receivedAt: start });
    const [one, other] = [of(paid(0, 30)), of(expired(10, 30))];
    if (one === null || other === null) throw new Error('no order');
    expect(mergeOrders(one, other).state).toBe('expired');
    expect(mergeOrders(other, one).state).toBe('expired');
  });
});

describe('the stored times of an order', () => {
  it.each(['{}', '[]', '[0]', '[1,0]', '[[1,2],0]', '[["1",null,3],0]', '[[null,null,null],0]'])(
    'are rejected if they are %s',
    (times) => {
      expect(() => parseOrderTimes(times)).toThrow('orders.times');
    },
  );
});
