import { expect, it } from 'vitest';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { ledgerOver } from '../../support/ledger.ts';
import { isConsistent, monday, openLedger } from '../../support/voting.ts';

const userId = '200000000000000001';
const guildId = '613425648685547541';
const reason = 'quiz night';

function ledgerTests(newUrl: () => string): void {
  async function open(url = newUrl()) {
    const store = await openLedger(url);
    const other = await addCommunity(store, guildId);
    const ledger = ledgerOver(store, monday, { [guildId]: other });
    const balance = async (communityId = firstCommunity) => (await store.ledgerIn(communityId).account(userId)).credits;
    const entries = async () => (await store.standingsIn(firstCommunity, 'UTC').standing(userId, monday)).entries;
    return { url, store, ledger, other, balance, entries };
  }

  it('awards and spends, with the reason in the entries', async () => {
    const { url, ledger, balance, entries } = await open();
    expect(await ledger.award({ userId, credits: 30, reason, key: 'a' })).toEqual({
      ...{ credits: 30, balance: 30, repeated: false },
    });
    expect(await ledger.spend({ userId, credits: 10, reason: 'raffle', key: 'b' })).toEqual({
      ...{ credits: -10, balance: 20, repeated: false },
    });
    expect(await balance()).toBe(20);
    expect(await entries()).toMatchObject([
      { cause: 'correction', credits: -10, reason: 'raffle' },
      { cause: 'correction', credits: 30, reason },
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('writes one entry per key, also if two processes use it at the same time', async () => {
    const url = newUrl();
    const [one, two] = await Promise.all([open(url), open(url)]);
    const award = { userId, credits: 30, reason, key: 'a' };
    const results = await Promise.all([one.ledger.award(award), two.ledger.award(award), one.ledger.award(award)]);
    expect(results.map(({ balance }) => balance)).toEqual([30, 30, 30]);
    expect(results.filter(({ repeated }) => !repeated).length).toBe(1);
    await one.ledger.award({ ...award, key: 'b' });
    expect(await two.ledger.award(award)).toEqual({ credits: 30, balance: 30, repeated: true });
    expect(await one.balance()).toBe(60);
  });

  it('recognises a repeat whose texts were cut within an emoji', async () => {
    const { ledger, balance } = await open();
    const cut = 'thanks 🎉'.slice(0, -1);
    const award = { userId, credits: 30, reason: cut, key: cut };
    expect(await ledger.award(award)).toMatchObject({ repeated: false });
    expect(await ledger.award(award)).toEqual({ credits: 30, balance: 30, repeated: true });
    await ledger.spend({ ...award, credits: 5, key: `${cut} 2` });
    expect(await ledger.refund({ key: `${cut} 2`, reason: cut })).toMatchObject({ balance: 30, repeated: false });
    expect(await ledger.refund({ key: `${cut} 2`, reason: cut })).toMatchObject({ balance: 30, repeated: true });
    const nul = [{ reason: 'a\0' }, { key: 'a\0' }];
    for (const change of nul) {
      await expect(ledger.award({ ...award, ...change })).rejects.toMatchObject({ code: 'ledger_invalid_change' });
    }
    expect(await balance()).toBe(30);
  });

  it('rejects a key that was used for another change', async () => {
    const { ledger, balance } = await open();
    const award = { userId, credits: 30, reason, key: 'a' };
    await ledger.award(award);
    const changes = [{ credits: 31 }, { reason: 'another' }, { userId: '200000000000000002' }];
    for (const change of changes) {
      await expect(ledger.award({ ...award, ...change })).rejects.toMatchObject({ code: 'ledger_key_reused' });
    }
    await expect(ledger.spend(award)).rejects.toMatchObject({ code: 'ledger_key_reused' });
    expect(await balance()).toBe(30);
  });

  it('has the keys of each community apart', async () => {
    const { ledger, other, balance } = await open();
    const change = { userId, credits: 30, reason, key: 'contest-2026-1' };
    const spending = { ...change, credits: 10, key: 'ticket' };
    for (const place of [{}, { guildId }]) {
      expect(await ledger.award({ ...change, ...place })).toMatchObject({ balance: 30, repeated: false });
      expect(await ledger.spend({ ...spending, ...place })).toMatchObject({ balance: 20, repeated: false });
    }
    expect(await ledger.refund({ key: 'ticket', reason, guildId })).toMatchObject({ balance: 30, repeated: false });
    expect([await balance(), await balance(other)]).toEqual([20, 30]);
    await expect(ledger.spend(spending)).resolves.toMatchObject({ repeated: true });
  });

  it('spends less than the balance only if that is allowed', async () => {
    const { ledger, balance } = await open();
    await ledger.award({ userId, credits: 5, reason, key: 'a' });
    const spending = { userId, credits: 6, reason, key: 'b' };
    const twice = await Promise.allSettled([
      ledger.spend({ ...spending, credits: 5, key: 'c' }),
      ledger.spend({ ...spending, credits: 5, key: 'd' }),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(ledger.spend(spending)).rejects.toMatchObject({ code: 'ledger_overdrawn' });
    expect(await balance()).toBe(0);
    expect(await ledger.spend({ ...spending, allowNegative: true })).toMatchObject({ balance: -6, repeated: false });
    expect(await balance()).toBe(-6);
  });

  it('refunds what was spent with a key, once', async () => {
    const { url, ledger, other, balance } = await open();
    await ledger.award({ userId, credits: 30, reason, key: 'a', guildId });
    await ledger.spend({ userId, credits: 20, reason, key: 'b', guildId });
    const refund = { key: 'b', reason: 'cancelled', guildId };
    expect(await ledger.refund(refund)).toEqual({ credits: 20, balance: 30, repeated: false });
    expect(await ledger.refund({ ...refund, reason: 'again' })).toEqual({ credits: 20, balance: 30, repeated: true });
    expect([await balance(other), await balance()]).toEqual([30, 0]);
    for (const key of ['a', 'unknown']) {
      await expect(ledger.refund({ ...refund, key })).rejects.toMatchObject({ code: 'ledger_unknown_spend' });
    }
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes nothing with a key that was refunded, and says so', async () => {
    const { url, ledger, balance } = await open();
    await ledger.award({ userId, credits: 30, reason, key: 'a' });
    const spending = { userId, credits: 20, reason, key: 'b' };
    const refund = { key: 'b', reason: 'cancelled' };
    const refunded = { code: 'ledger_refunded', message: expect.stringContaining('"b"') };
    await expect(ledger.refund(refund)).rejects.toMatchObject({ code: 'ledger_unknown_spend' });
    expect(await ledger.spend(spending)).toMatchObject({ balance: 10, repeated: false });
    expect(await ledger.spend(spending)).toMatchObject({ balance: 10, repeated: true });
    await ledger.refund(refund);
    for (const change of [{}, { credits: 5 }, { reason: 'another' }, { allowNegative: true }]) {
      await expect(ledger.spend({ ...spending, ...change })).rejects.toMatchObject(refunded);
    }
    await expect(ledger.award(spending)).rejects.toMatchObject(refunded);
    expect(await ledger.refund(refund)).toMatchObject({ balance: 30, repeated: true });
    await expect(ledger.spend(spending)).rejects.toMatchObject(refunded);
    expect(await ledger.spend({ ...spending, key: 'c' })).toMatchObject({ balance: 10, repeated: false });
    expect(await balance()).toBe(10);
    expect(await isConsistent(url)).toBe(true);
  });

  it('of two processes never reports a spend as paid after its refund', async () => {
    const url = newUrl();
    const [one, two] = await Promise.all([open(url), open(url)]);
    await one.ledger.award({ userId, credits: 30, reason, key: 'a' });
    const spending = { userId, credits: 20, reason, key: 'b' };
    await one.ledger.spend(spending);
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => two.ledger.spend(spending)),
      one.ledger.refund({ key: 'b', reason }),
    ]);
    expect(results.at(-1)).toMatchObject({ status: 'fulfilled', value: { balance: 30 } });
    for (const result of results.slice(0, -1)) {
      expect(result.status === 'fulfilled' ? result.value.repeated : result.reason.code).toBeOneOf([
        true,
        'ledger_refunded',
      ]);
    }
    await expect(two.ledger.spend(spending)).rejects.toMatchObject({ code: 'ledger_refunded' });
    expect(await one.balance()).toBe(30);
  });

  it('stores nothing for a change that is not valid', async () => {
    const { ledger, balance } = await open();
    const award = { userId, credits: 30, reason, key: 'a' };
    const invalid = [
      ...[{ credits: 0 }, { credits: -5 }, { credits: 1.5 }, { credits: Number.NaN }, { credits: 1_000_001 }],
      ...[{ userId: 'Ada' }, { reason: ' ' }, { reason: 'x'.repeat(201) }, { key: '' }, { key: 'x'.repeat(101) }],
      { guildID: '1' },
    ];
    for (const change of invalid) {
      await expect(ledger.award({ ...award, ...change })).rejects.toMatchObject({ code: 'ledger_invalid_change' });
    }
    const elsewhere = ledger.award({ ...award, guildId: '1' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'ledger_unknown_community' });
    expect(await balance()).toBe(0);
  });
}

describeOnEveryDatabase('the writable ledger', ledgerTests);
