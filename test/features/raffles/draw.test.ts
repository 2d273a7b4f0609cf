import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitmentOf, drawWinners } from '../../../src/features/raffles/draw.ts';
import { checkRaffle, drawRaffle, raffleIdOf } from '../../../src/features/raffles/published.ts';

const seed = '5'.repeat(64);
const terms = {
  period: 'week 2026-W48',
  startsAt: '2026-11-22T23:00:00.000Z',
  endsAt: '2026-11-29T23:00:00.000Z',
  openedAt: '2026-11-22T23:00:04.000Z',
  places: 3,
  credits: 300,
  ticketsPerVote: 1,
  maxTickets: 14,
  commitment: commitmentOf(seed),
};
const tickets = [3, 14, 1, 7, 2].map((count, index) => ({ member: String(9 - index).repeat(20), tickets: count }));
const { file, winners } = drawRaffle(terms, { seed, tickets });

describe('the draw of a raffle', () => {
  it('follows a model with one slip of paper for each ticket', () => {
    const list = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 });
    const numbers = fc.array(fc.oneof(fc.nat(), fc.integer({ min: 2 ** 48 - 40, max: 2 ** 48 - 1 })), {
      minLength: 60,
    });
    fc.assert(
      fc.property(list, fc.nat({ max: 5 }), numbers, (counts, places, drawn) => {
        const all = counts.map((count, index) => ({ member: `m${index}`, tickets: count }));
        let slips = all.flatMap(({ member, tickets: count }) => Array.from({ length: count }, () => member));
        const expected: string[] = [];
        for (const number of drawn) {
          if (expected.length === places || slips.length === 0) break;
          // A slip is as likely as any other only among numbers that come in complete rounds.
          if (Math.floor(number / slips.length) >= Math.floor(2 ** 48 / slips.length)) continue;
          const winner = slips[number % slips.length] ?? '';
          expected.push(winner);
          slips = slips.filter((member) => member !== winner);
        }
        expect(drawWinners(all, places, drawn)).toEqual(expected);
      }),
    );
  });

  it('is computed again from the published file with SHA-256 and HMAC alone', () => {
    const raffle = JSON.parse(file);
    expect(createHash('sha256').update(Buffer.from(raffle.seed, 'hex')).digest('hex')).toBe(raffle.commitment);
    const text = raffle.tickets.map((each: { member: string; tickets: number }) => `${each.member} ${each.tickets}\n`);
    const hash = createHash('sha256').update(text.join('')).digest('hex');
    let slips: string[] = raffle.tickets.flatMap((each: { member: string; tickets: number }) =>
      Array(each.tickets).fill(each.member),
    );
    const drawn: string[] = [];
    for (let n = 0; drawn.length < raffle.places; n += 1) {
      const digest = createHmac('sha256', Buffer.from(raffle.seed, 'hex')).update(`${hash} ${n}`).digest('hex');
      const number = BigInt(`0x${digest.slice(0, 12)}`);
      const left = BigInt(slips.length);
      if (number >= 2n ** 48n - (2n ** 48n % left)) continue;
      const winner = slips[Number(number % left)] ?? '';
      drawn.push(winner);
      slips = slips.filter((member) => member !== winner);
    }
    expect(raffle.winners).toEqual(drawn);
    expect(winners).toEqual(drawn);
  });
});

describe('checking a published raffle', () => {
  it('finds nothing in what was published', () => {
    expect(checkRaffle(file)).toMatchObject({ raffle: { id: raffleIdOf(terms) }, problems: [] });
  });

  it.each(Object.keys(JSON.parse(file)))('names %s if it was changed', (field) => {
    const raffle = JSON.parse(file);
    const value = raffle[field];
    raffle[field] = changed(value);
    expect(checkRaffle(JSON.stringify(raffle)).problems.join('\n')).toContain(field);
  });

  it('reports other texts', () => {
    for (const text of ['', '[]', '{}', 'null']) expect(checkRaffle(text).problems).not.toEqual([]);
  });
});

/** Another value of the same form. */
function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
  if (!Array.isArray(value)) return value;
  const [first, ...others] = value;
  return typeof first === 'string' ? others : [{ ...first, tickets: first.tickets + 1 }, ...others];
}
