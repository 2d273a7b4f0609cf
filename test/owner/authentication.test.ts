import { describe, expect, it } from 'vitest';
import { minute } from '../../src/platform/durations.ts';
import { owning } from './owning.ts';

describe('wrong tokens', () => {
  /** Asks the API through a proxy that says that this caller asks. */
  async function guarded() {
    const owned = await owning();
    const asks = async (caller: string | null, authorization?: string) => {
      const headers = caller === null ? {} : { 'x-forwarded-for': caller };
      return (await owned.ask('/summary', { headers, ...(authorization && { authorization }) })).status;
    };
    return { ...owned, asks, guess: (caller: string | null) => asks(caller, 'Bearer guess') };
  }

  it.each([
    ['an address with another port each time', (index: number) => `203.0.113.7:${40_000 + index}`],
    ['an IPv6 address with another port each time', (index: number) => `[2001:db8::1]:${40_000 + index}`],
    ['other addresses of one IPv6 network', (index: number) => `2001:db8::${index.toString(16)}`],
    ['an address that chooses what stands before it', (index: number) => `198.51.100.${index}, 203.0.113.7`],
    ['an address behind a proxy with a port', (index: number) => `203.0.113.7, 10.0.0.1:${40_000 + index}`],
    ['what is no address', (index: number) => `somebody-${index}`],
  ])('of %s are those of one caller', async (_who, callerAt) => {
    const { guess } = await guarded();
    const answers = [];
    for (let index = 0; index < 12; index += 1) answers.push(await guess(callerAt(index)));
    expect(answers).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('of any number of addresses are limited together, and lock out neither this machine nor whoever had the right one', async () => {
    const { guess, asks, lines, clock } = await guarded();
    expect(await asks('192.0.2.1')).toBe(200);
    const answers = [];
    for (let index = 0; index < 110; index += 1) answers.push(await guess(`203.0.113.${index}`));
    expect(answers.filter((status) => status === 401)).toHaveLength(100);
    expect(answers.slice(100)).toEqual(Array<number>(10).fill(429));
    expect(lines.filter((line) => line.includes('too many wrong owner tokens from many addresses'))).toHaveLength(1);

    expect(await asks('192.0.2.2')).toBe(429);
    expect(await asks('192.0.2.1')).toBe(200);
    expect(await asks(null)).toBe(200);
    for (let index = 0; index < 10; index += 1) expect(await guess(null)).toBe(401);
    expect(await asks(null)).toBe(429);

    await clock.advance(minute);
    expect(await asks('192.0.2.2')).toBe(200);
  });
});
