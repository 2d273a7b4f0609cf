import { minute } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownVoteKind } from '../../src/webhook/event.ts';
import { type ParsedPayload, readPayload } from '../../src/webhook/payload.ts';

const now = Date.UTC(2026, 5, 15, 12);
const read = (json: unknown, premiumPath = false): ParsedPayload => readPayload(json, { premiumPath, now });

function vote(json: Record<string, unknown>) {
  const payload = read({ event: 'server_vote', userId: '42', ...json });
  if (payload.type !== 'event' || payload.event.family !== 'vote') throw new Error(JSON.stringify(payload));
  return payload.event;
}

function premium(json: Record<string, unknown>) {
  const payload = read({ event: 'premium_purchase', buyer: { userId: '42' }, ...json }, true);
  if (payload.type !== 'event' || payload.event.family !== 'premium') throw new Error(JSON.stringify(payload));
  return payload.event;
}

function reasonOf(json: unknown): string | null {
  const payload = read(json);
  return payload.type === 'unprocessable' ? payload.reason : null;
}

describe('the kind of an event', () => {
  it('is the field event, otherwise type', () => {
    expect(read({ event: 'bot_vote', userId: '1' })).toMatchObject({ type: 'event', event: { kind: 'bot_vote' } });
    expect(read({ type: 'server_vote', userId: '1' })).toMatchObject({ event: { kind: 'server_vote' } });
    expect(read({ event: 'surprise', type: 'server_vote', userId: '1' })).toMatchObject({
      type: 'unprocessable',
      kind: 'surprise',
    });
  });

  it('is inferred from other fields if both are missing', () => {
    expect(read({ userId: '1', serverId: '2' })).toMatchObject({ event: { kind: 'server_vote' } });
    expect(read({ voter: { userId: '1' }, bot: { id: '2', name: 'b' } })).toMatchObject({
      event: { kind: 'bot_vote' },
    });
    expect(read({ buyer: { userId: '1' } }, true)).toMatchObject({ event: { kind: 'premium_purchase' } });
    expect(read({ buyer: { userId: '1' } }, false)).toMatchObject({ type: 'unprocessable' });
    expect(read({ userId: '1' })).toMatchObject({ type: 'unprocessable', kind: null });
  });

  it('is in any other field at the top level, if there is neither event nor type', () => {
    const readOn = (json: object, premiumPath = false) =>
      readPayload(json, { premiumPath, now, defaultVote: premiumPath ? null : 'server_vote' });
    for (const field of ['kind', 'eventType', 'event_type', 'event-name', 'topic', 'category']) {
      for (const kind of ['bot_vote', 'premium_purchase', 'subscription.expired']) {
        const event = { userId: '1', serverId: '2', orderId: 'o', [field]: kind };
        expect(readOn(event), field).toMatchObject({ type: 'event', event: { kind } });
        expect(readOn({ ...event, test: true }), field).toMatchObject({ type: 'test', kind });
        expect(readOn({ buyer: { userId: '1' }, orderId: 'o', [field]: kind }, true)).not.toMatchObject({
          event: { kind: kind === 'premium_purchase' ? 'bot_vote' : 'premium_purchase' },
        });
      }
    }
    const both = { userId: '1', kind: 'bot_vote', action: 'created' };
    expect(readOn(both)).toMatchObject({ event: { kind: 'bot_vote' } });
    expect(readOn({ ...both, event: 'server_vote' })).toMatchObject({ event: { kind: 'server_vote' } });
  });

  it('is unknown, and not the default one, if another field states one that is not known', () => {
    const unknown: readonly (readonly [object, string])[] = [
      ...['kind', 'eventType', 'event_type', 'EventName', 'event-kind', 'action', 'webhook_event'].map(
        (field) => [{ [field]: 'refund' }, 'refund'] as const,
      ),
      [{ kind: 'Premium_Purchase' }, 'Premium_Purchase'],
      [{ kind: 3 }, '3'],
      [{ kind: { name: 'premium_purchase' } }, '{…}'],
      [{ kind: 'bot_vote', eventType: 'server_vote' }, 'bot_vote and server_vote'],
      // People choose such texts.
      [{ username: 'premium_purchase' }, 'premium_purchase in username'],
      [{ name: 'bot_vote' }, 'bot_vote in name'],
    ];
    for (const [fields, kind] of unknown) {
      for (const target of [{}, { serverId: '2' }, { buyer: { userId: '1' } }]) {
        for (const premiumPath of [false, true]) {
          const context = { premiumPath, now, defaultVote: 'server_vote' } as const;
          expect(readPayload({ userId: '1', ...target, ...fields }, context)).toMatchObject({
            ...{ type: 'unprocessable', kind, reason: 'unknown kind of event' },
          });
        }
      }
    }
    const others = { name: 'Ada', status: 'active', targetName: 'x', kind: null };
    expect(readPayload({ userId: '1', ...others }, { premiumPath: false, now, defaultVote: 'bot_vote' })).toMatchObject(
      { event: { kind: 'bot_vote' } },
    );
    expect(read({ test: true, kind: 'sample' })).toMatchObject({ type: 'test', kind: 'server_vote' });
  });

  it('is the default kind for a vote that names only its voter', () => {
    const readAs = (json: object, defaultVote: KnownVoteKind | null = 'bot_vote', premiumPath = false) =>
      readPayload(json, { premiumPath, now, defaultVote });
    for (const minimal of [
      { userId: '1', creditsAwarded: 5 },
      { userId: '1' },
      { voter: { userId: '1' } },
      { userId: '1', event: null },
      { userId: '1', note: 'new' },
    ]) {
      expect(readAs(minimal)).toMatchObject({ event: { kind: 'bot_vote', target: { kind: 'bot', id: null } } });
      expect(readAs(minimal, null)).toMatchObject({ type: 'unprocessable', kind: null });
    }
    for (const fields of [
      { buyer: { userId: '1' } },
      { orderId: 'o' },
      { purchaseId: 'p' },
      { tier: { name: 'Gold' } },
      { recipient: { userId: '2' } },
      { isGift: false },
      { server: { name: 'without an id' } },
      { bot: 'without an id' },
      { event: 'surprise' },
    ]) {
      expect(readAs({ userId: '1', ...fields }), JSON.stringify(fields)).toMatchObject({ type: 'unprocessable' });
    }
    expect(readAs({ creditsAwarded: 5 })).toMatchObject({ type: 'unprocessable' });
    expect(readAs({ userId: '1', serverId: '2' })).toMatchObject({ event: { kind: 'server_vote' } });
  });

  it('is never an inherited property', () => {
    expect(read(JSON.parse('{"__proto__":{"event":"server_vote","userId":"1"}}'))).toMatchObject({
      type: 'unprocessable',
    });
  });
});

describe('a vote', () => {
  it('has its voter and its target in flat or nested fields', () => {
    expect(vote({ serverId: '7' })).toMatchObject({ userId: '42', target: { kind: 'server', id: '7' } });
    expect(read({ event: 'server_vote', voter: { userId: '5' }, server: { id: '6' } })).toMatchObject({
      event: { userId: '5', target: { kind: 'server', id: '6' } },
    });
    expect(read({ event: 'bot_vote', userId: '5', bot: { id: '6' } })).toMatchObject({
      event: { target: { kind: 'bot', id: '6' } },
    });
  });

  it('accepts a safe integer as an ID, and no other form', () => {
    expect(vote({ userId: 123_456 }).userId).toBe('123456');
    for (const userId of [2 ** 53, 1.5, -1, '', 'abc', '12a', '1'.repeat(21), {}, [], true]) {
      expect(reasonOf({ event: 'server_vote', userId }), JSON.stringify(userId)).toMatch(/id|user/);
    }
    expect(reasonOf({ event: 'server_vote', userId: '1', serverId: 'my-server' })).toMatch(/serverId/);
    expect(reasonOf({ event: 'server_vote' })).toBe('the vote names no user');
  });

  it('accepts a timestamp with any fraction and zone', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    for (const timestamp of [
      '2026-01-02T03:04:05.678Z',
      '2026-01-02T03:04:05.678901234Z',
      '2026-01-02T03:04:05.6789012+00:00',
      '2026-01-02T03:04:05.678-00:00',
      '2026-01-02T05:04:05.678+02:00',
      '2026-01-02T05:04:05,678+0200',
      '2026-01-01t22:04:05.678-05',
    ]) {
      expect(vote({ timestamp }).at, timestamp).toBe(at);
    }
    expect(vote({ timestamp: '2026-01-02T03:04:05.6Z' }).at).toBe(at - 78);
    expect(vote({ timestamp: null }).at).toBe(null);
    expect(vote({}).at).toBe(null);
  });

  it('is unprocessable if its timestamp is not ISO 8601 with a zone, or more than 5 minutes ahead', () => {
    for (const timestamp of [
      'yesterday',
      '2026-01-02',
      '2026-01-02T03:04:05',
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-02T25:00:00Z',
      '2026-01-02 03:04:05Z',
      '2026-01-02T03:04:05.678+',
      '2026-01-02T03:04:05.678x+00:00',
      '2026-01-02T03:04:05.678Z+00:00',
      '2026-01-02T03:04:05.678+00:00Z',
      1_767_323_045_678,
      '',
      {},
    ]) {
      expect(reasonOf({ event: 'server_vote', userId: '1', timestamp }), JSON.stringify(timestamp)).toMatch(
        /timestamp/,
      );
    }
    expect(
      reasonOf({ event: 'server_vote', userId: '1', timestamp: new Date(now + 5 * minute + 1).toISOString() }),
    ).toMatch(/ahead/);
    expect(vote({ timestamp: new Date(now + 5 * minute).toISOString() }).at).toBe(now + 5 * minute);
  });

  it('has a timestamp only of an existing moment, 29 February and midnight at the end of a day included', () => {
    const digits = (length: number, max: number) =>
      fc.integer({ min: 0, max }).map((number) => String(number).padStart(length, '0'));
    const year = fc.oneof(digits(4, 2025), fc.constantFrom('1900', '2000', '2023', '2024'));
    const day = fc.oneof(digits(2, 32), fc.constantFrom('28', '29', '30', '31'));
    const hour = fc.oneof(digits(2, 25), fc.constant('24'));
    const sixtieth = fc.oneof(digits(2, 61), fc.constant('00'));
    const parts = fc.tuple(
      year,
      fc.oneof(digits(2, 13), fc.constant('02')),
      day,
      hour,
      sixtieth,
      sixtieth,
      digits(3, 999),
    );
    fc.assert(
      fc.property(parts, ([years, months, days, hours, minutes, seconds, milliseconds]) => {
        const timestamp = `${years}-${months}-${days}T${hours}:${minutes}:${seconds}.${milliseconds}Z`;
        const time = new Date(0);
        time.setUTCFullYear(Number(years), Number(months) - 1, Number(days));
        const isDay = time.toISOString().startsWith(`${years}-${months}-${days}T`);
        time.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(milliseconds));
        const isEndOfDay = `${hours}${minutes}${seconds}${milliseconds}` === '240000000';
        const exists = isDay && (isEndOfDay || time.toISOString() === timestamp);
        if (exists) expect(vote({ timestamp }).at).toBe(time.getTime());
        else expect(reasonOf({ event: 'server_vote', userId: '1', timestamp })).toMatch(/timestamp/);
      }),
      { numRuns: 5_000 },
    );
  });

  it('accepts a number, a boolean, either as a text, or nothing as creditsAwarded, and nothing else', () => {
    expect(vote({ creditsAwarded: 25 }).creditsAwarded).toBe(25);
    expect(vote({ creditsAwarded: 0 }).creditsAwarded).toBe(0);
    expect(vote({ creditsAwarded: true }).creditsAwarded).toBe(true);
    expect(vote({ creditsAwarded: false, creditDenialReason: 'Ad blocker detected' })).toMatchObject({
      creditsAwarded: false,
      denial: 'Ad blocker detected',
    });
    for (const [text, credits] of [
      ['7', 7],
      ['0', 0],
      ['1000000', 1_000_000],
      ['true', true],
      ['false', false],
    ] as const) {
      expect(vote({ creditsAwarded: text }).creditsAwarded).toBe(credits);
    }
    const texts = ['', ' 7', '7.5', '7e1', '-7', '+7', '0x7', '٧', '1000001', '9'.repeat(400), 'yes', 'TRUE'];
    for (const creditsAwarded of [-1, 0.5, 7.5, 1_000_001, 1e300, Number.POSITIVE_INFINITY, {}, [], ...texts]) {
      expect(reasonOf({ event: 'server_vote', userId: '1', creditsAwarded }), JSON.stringify(creditsAwarded)).toMatch(
        /creditsAwarded/,
      );
    }
  });
});

describe('a test', () => {
  it('has the field test: true, and no other value marks a test', () => {
    expect(read({ event: 'server_vote', userId: '1', test: true })).toMatchObject({
      type: 'test',
      kind: 'server_vote',
    });
    expect(read({ event: 'server_vote', userId: '1', test: false })).toMatchObject({ type: 'event' });
    for (const test of ['true', 1, 'yes', {}]) {
      expect(read({ event: 'server_vote', userId: '1', test })).toMatchObject({ type: 'unprocessable' });
    }
  });

  it('may have any other invalid field, because its contents are sample data', () => {
    expect(read({ event: 'server_vote', userId: 'somebody', creditsAwarded: -5, test: true })).toMatchObject({
      type: 'test',
      userId: null,
    });
    expect(read({ test: true })).toMatchObject({ type: 'test', kind: 'server_vote' });
    expect(read({ test: true }, true)).toMatchObject({ type: 'test', kind: 'premium_purchase' });
    expect(read({ test: true, userId: '1' })).toMatchObject({ type: 'test', kind: 'server_vote', userId: '1' });
    expect(read({ test: true, userId: '1' }, true)).toMatchObject({ type: 'test', kind: 'premium_purchase' });
    expect(read({ test: true, userId: '1', orderId: 'o' })).toMatchObject({ type: 'unprocessable' });
    expect(readPayload({ test: true }, { premiumPath: false, now, defaultVote: 'bot_vote' })).toMatchObject({
      type: 'test',
      kind: 'bot_vote',
    });
  });
});

describe('a premium event', () => {
  it('belongs to the buyer, or to the recipient of a gift', () => {
    expect(premium({}).userId).toBe('42');
    expect(premium({ recipient: null })).toMatchObject({ userId: '42', giftedBy: null });
    expect(premium({ recipient: { userId: '43' }, isGift: true })).toMatchObject({ userId: '43', giftedBy: '42' });
    expect(premium({ recipient: { userId: '43' }, giftedBy: { userId: '44' } })).toMatchObject({
      userId: '43',
      giftedBy: '44',
    });
    expect(read({ event: 'premium_purchase', buyer: { userId: '1' }, isGift: true }, true)).toMatchObject({
      type: 'unprocessable',
    });
  });

  it('belongs to the recipient in any format, whether or not it is marked as a gift', () => {
    for (const recipient of ['43', 43, { userId: '43' }, { id: '43' }, { userId: '43', id: 'account-7' }]) {
      for (const isGift of [undefined, true, 'true', 1, 'yes', false, {}]) {
        expect(premium({ recipient, isGift }), JSON.stringify({ recipient, isGift })).toMatchObject({
          userId: '43',
          isRecipient: true,
          giftedBy: '42',
        });
      }
    }
    expect(premium({ recipient: { userId: '42' }, isGift: true })).toMatchObject({ userId: '42', giftedBy: null });
    expect(premium({ buyer: '42', recipient: '43', giftedBy: { id: '44' } })).toMatchObject({ giftedBy: '44' });
  });

  const withoutRecipient = [
    ...[true, 'true', 'TRUE', 1, 'yes', 'perhaps', {}].map((isGift) => ({ isGift })),
    ...['42', { userId: '42' }, { userId: '44' }, { username: 'generous' }, true].map((giftedBy) => ({ giftedBy })),
    ...[{}, [], '', 'alice', 2 ** 53, { username: 'alice' }, { id: 'account-7' }].map((recipient) => ({ recipient })),
    { isGift: true, recipient: null },
    { giftedBy: '42', isGift: false },
    { recipient: { username: 'alice' }, isGift: false },
    { userId: '43' },
  ];

  it('never belongs to the giver: a possible gift without a recipient needs an order, or is unprocessable', () => {
    for (const gift of withoutRecipient) {
      const withoutOrder = { event: 'premium_purchase', buyer: { userId: '42' }, ...gift };
      expect(reasonOf(withoutOrder), JSON.stringify(gift)).toMatch(/gift/);
      for (const event of ['premium_purchase', 'subscription.renewed', 'subscription.revoked']) {
        expect(premium({ event, orderId: 'o', ...gift }), JSON.stringify(gift)).toMatchObject({
          userId: null,
          isRecipient: false,
        });
      }
    }
    expect(reasonOf({ event: 'premium_purchase', orderId: 'o', isGift: true })).toMatch(/no buyer/);
    expect(reasonOf({ event: 'premium_purchase', buyer: { userId: '42' }, recipient: { userId: 'alice' } })).toMatch(
      /recipient\.userId/,
    );
  });

  it('belongs to the buyer if it is clearly not a gift', () => {
    for (const fields of [
      { isGift: false },
      { isGift: 'false' },
      { isGift: 0 },
      { isGift: false, recipient: {} },
      { isGift: false, recipient: { userId: null, username: '' } },
      { isGift: false, giftedBy: '' },
      { isGift: false, userId: '43' },
      { giftedBy: null },
      { giftedBy: false },
      { userId: '42' },
      { userId: 'account-7' },
      { buyer: '42' },
      { buyer: { id: 42 } },
      { buyer: undefined, userId: '42' },
    ]) {
      expect(premium(fields), JSON.stringify(fields)).toMatchObject({
        userId: '42',
        isRecipient: false,
        giftedBy: null,
      });
    }
  });

  it('needs a buyer, or at least an order if it ends one', () => {
    expect(reasonOf({ event: 'premium_purchase', orderId: 'o' })).toMatch(/no buyer/);
    expect(reasonOf({ event: 'subscription.renewed', orderId: 'o' })).toMatch(/no buyer/);
    expect(read({ event: 'subscription.expired', orderId: 'o' })).toMatchObject({
      event: { userId: null, orderIds: ['o'] },
    });
    expect(reasonOf({ event: 'subscription.revoked' })).toMatch(/neither buyer nor order/);
  });

  it('has both IDs of its order, the order ID first', () => {
    expect(premium({ orderId: 'o', purchaseId: 'p' }).orderIds).toEqual(['o', 'p']);
    expect(premium({ purchaseId: 17 }).orderIds).toEqual(['17']);
    expect(premium({ orderId: '' }).orderIds).toEqual([]);
  });

  it('has its target', () => {
    expect(premium({ vendor: { type: 'bot', id: '9' } }).target).toEqual({ kind: 'bot', id: '9' });
    expect(premium({ serverId: '8' }).target).toEqual({ kind: 'server', id: '8' });
    expect(premium({ targetType: 'server', targetName: 'x' }).target).toEqual({ kind: 'server', id: null });
    expect(premium({}).target).toEqual({ kind: null, id: null });
    expect(
      reasonOf({ event: 'premium_purchase', buyer: { userId: '1' }, vendor: { type: 'server', id: 'x' } }),
    ).toMatch(/vendor\.id/);
    expect(premium({ vendor: { type: 'platform', id: 'x' } }).target).toEqual({ kind: null, id: 'x' });
  });
});

describe('arbitrary JSON', () => {
  it('causes no exception, and a vote always has a user ID', () => {
    const keys = fc.constantFrom(
      ...['event', 'type', 'userId', 'voter', 'serverId', 'bot', 'test', 'timestamp', 'creditsAwarded', 'buyer'],
      ...['orderId', '__proto__'],
    );
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('server_vote', 'bot_vote', 'premium_purchase', 'subscription.revoked', '1', true),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(keys, values)), fc.boolean(), (json, premiumPath) => {
        const payload = read(json, premiumPath);
        if (payload.type === 'event' && payload.event.family === 'vote')
          expect(payload.event.userId).toMatch(/^\d{1,20}$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
