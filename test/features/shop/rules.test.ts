import { day } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decidePurchase, type PublicShopItem, type PurchaseContext } from '../../../src/features/shop/purchase.ts';

const now = Date.UTC(2026, 0, 5);
const base = { id: 'vip', name: 'VIP', price: 30, manual: false, stock: null, needsRole: null };
const role: PublicShopItem = { ...base, role: '7', forMs: 7 * day, codeCount: null };
const code: PublicShopItem = { ...base, role: null, forMs: null, codeCount: 3 };
const rich: PurchaseContext = {
  ...{ confirmedPrice: 30, balance: 100, left: null, roles: [], grants: [], isReady: true, now },
};
const grant = (source: string, until: number | null) => ({ role: '7', source, until });

describe('a purchase', () => {
  it('of a code is fulfilled at once, of a role by Discord', () => {
    expect(decidePurchase(code, rich)).toEqual({ rejection: null, state: 'fulfilled', until: null });
    expect(decidePurchase(role, rich)).toEqual({ rejection: null, state: 'confirmed', until: now + 7 * day });
  });

  it('extends what was bought, and not what was earned', () => {
    const untilOf = (grants: PurchaseContext['grants']) => {
      const decision = decidePurchase(role, { ...rich, grants });
      return decision.rejection === null ? decision.until : decision.rejection;
    };
    expect(untilOf([grant('shop 1', now + day), grant('shop 2', now + 3 * day)])).toBe(now + 10 * day);
    expect(untilOf([grant('shop 1', now - day)])).toBe(now + 7 * day);
    expect(untilOf([grant('premium order', now + 30 * day)])).toBe(now + 7 * day);
    expect(untilOf([grant('milestone', null)])).toBe('already_owned');
  });

  it('of a role that somebody gave by hand is rejected, of one that was granted for a while is not', () => {
    expect(decidePurchase(role, { ...rich, roles: ['7'] })).toEqual({ rejection: 'already_owned' });
    const grants = [grant('voter', now + day)];
    expect(decidePurchase(role, { ...rich, roles: ['7'], grants })).toMatchObject({ rejection: null });
  });

  it('is decided only if it is paid, in stock, and at the confirmed price', () => {
    const contexts = fc.record({
      confirmedPrice: fc.integer({ min: 0, max: 60 }),
      balance: fc.integer({ min: 0, max: 60 }),
      left: fc.option(fc.integer({ min: 0, max: 2 })),
    });
    fc.assert(
      fc.property(contexts, ({ confirmedPrice, balance, left }) => {
        const { rejection } = decidePurchase(code, { ...rich, confirmedPrice, balance, left });
        expect(rejection === null).toBe(confirmedPrice === 30 && balance >= 30 && left !== 0);
      }),
    );
  });
});
