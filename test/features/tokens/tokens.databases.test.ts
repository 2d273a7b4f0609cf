import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deleteGuildData } from '../../../src/features/communities/departures.ts';
import { openStore } from '../../../src/features/store.ts';
import { maxTokens } from '../../../src/features/tokens/store.ts';
import { Tokens } from '../../../src/features/tokens/tokens.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';

describeOnEveryDatabase('a token of a community', (newUrl) => {
  /** Two processes with the same database. */
  async function start() {
    const url = newUrl();
    const clock = manualClock(Date.UTC(2026, 0, 1));
    const lines: string[] = [];
    const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
    async function process() {
      const store = await openStore(url, clock, { thread: false });
      onTestFinished(() => store.close());
      return { store, tokens: new Tokens({ store: store.tokens, clock, log }) };
    }
    const [first, second] = [await process(), await process()];
    const create = (changes: { readonly expiresAt?: number; readonly communityId?: typeof firstCommunity } = {}) =>
      first.tokens.create({
        ...{ communityId: firstCommunity, name: 'quiz', scopes: ['read', 'write'], createdBy: '42', expiresAt: null },
        ...changes,
      });
    return { ...first, second, create, clock, lines };
  }

  it('is shown once, stored as a digest, and known in every process until it is revoked', async () => {
    const { tokens, store, second, create, lines } = await start();
    const created = await create();
    expect(created?.secret).toMatch(/^thk_[\w-]{43}$/);
    const secret = created?.secret ?? '';
    expect(await second.tokens.verify(secret)).toMatchObject({ id: created?.id, scopes: ['read', 'write'] });
    expect(await second.tokens.verify(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'Q' : 'A'}`)).toBeNull();
    expect(JSON.stringify([await tokens.list(firstCommunity), await store.memberData.export('42')])).not.toContain(
      secret,
    );
    const other = await addCommunity(store, '613425648685547541');
    expect(await second.tokens.revoke(other, created?.id ?? 0, '42')).toBeNull();
    expect(await second.tokens.revoke(firstCommunity, created?.id ?? 0, '42')).not.toBeNull();
    expect([await tokens.verify(secret), await second.tokens.verify(secret)]).toEqual([null, null]);
    expect(lines.join('')).toMatch(/a token was created.*a token was revoked/s);
    expect(lines.join('')).not.toContain(secret.slice(4, 20));
  });

  it('ends at its time, and says when it was last used', async () => {
    const { tokens, create, clock } = await start();
    const created = await create({ expiresAt: clock.now() + day });
    const secret = created?.secret ?? '';
    const used = async () => (await tokens.list(firstCommunity))[0]?.usedAt;
    expect(await used()).toBeNull();
    const first = clock.now();
    await tokens.verify(secret);
    await vi.waitFor(async () => expect(await used()).toBe(first));
    await clock.advance(minute - 1);
    await tokens.verify(secret);
    await clock.advance(hour);
    await tokens.verify(secret);
    await vi.waitFor(async () => expect(await used()).toBe(first + minute - 1 + hour));
    await clock.advance(day - hour - minute);
    expect(await tokens.verify(secret)).not.toBeNull();
    await clock.advance(1);
    expect(await tokens.verify(secret)).toBeNull();
  });

  it('is one of a limited number, without those that have ended', async () => {
    const { tokens, create } = await start();
    const all = await Promise.all(Array.from({ length: maxTokens }, () => create()));
    expect(await create()).toBeNull();
    for (const token of all) await tokens.revoke(firstCommunity, token?.id ?? 0, '42');
    for (let index = 0; index < maxTokens; index += 1) expect(await create()).not.toBeNull();
    expect((await tokens.list(firstCommunity)).length).toBe(2 * maxTokens - 1);
  });

  it('is deleted with the data of its community alone', async () => {
    const { tokens, store, create } = await start();
    const guildId = '613425648685547541';
    await store.communityIds.addConfigured(['1']);
    const other = await create({ communityId: await addCommunity(store, guildId) });
    const own = await create();
    await deleteGuildData(store.guildData, guildId, new AbortController().signal);
    expect(await tokens.verify(other?.secret ?? '')).toBeNull();
    expect(await tokens.verify(own?.secret ?? '')).not.toBeNull();
  });
});
