import { createHash, createHmac } from 'node:crypto';

/*
 * The rule of raffles, as docs/raffles.md has it for everybody who wants to check one: from a seed and the tickets of members
 * to the winners.
 */

/** How many tickets a member has, at least 1. */
export interface MemberTickets {
  /** The pseudonym of the member. */
  readonly member: string;
  readonly tickets: number;
}

/** Numbers from 0 to below this are drawn: 6 bytes. */
const range = 2 ** 48;

/** The SHA-256 of a seed, which is announced before it is known who takes part (hex). @param seed hex */
export function commitmentOf(seed: string): string {
  return createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex');
}

/** The SHA-256 of a list of tickets (hex), of a line for each member: the pseudonym, a space, and the number. */
export function hashOfTickets(list: readonly MemberTickets[]): string {
  const hash = createHash('sha256');
  for (const { member, tickets } of list) hash.update(`${member} ${tickets}\n`);
  return hash.digest('hex');
}

/** The numbers that a seed draws for a list, one after the other. @param seed hex */
export function* numbersOf(seed: string, list: readonly MemberTickets[]): Generator<number, never, undefined> {
  const key = Buffer.from(seed, 'hex');
  const hash = hashOfTickets(list);
  for (let count = 0; ; count += 1) {
    yield createHmac('sha256', key).update(`${hash} ${count}`).digest().readUIntBE(0, 6);
  }
}

/**
 * The pseudonyms of the winners, the first one first: fewer than `winners` if fewer members take part. Each number is a ticket
 * of those who have not won, modulo their number of tickets; one of the last incomplete round would favour the first tickets,
 * and is left out. Who has won takes part no longer.
 *
 * @param numbers whole, from 0 to below 2 ** 48
 */
export function drawWinners(
  list: readonly MemberTickets[],
  winners: number,
  numbers: Iterable<number>,
): readonly string[] {
  const left = [...list];
  const drawn: string[] = [];
  let total = left.reduce((sum, { tickets }) => sum + tickets, 0);
  if (winners === 0 || total === 0) return [];
  for (const number of numbers) {
    if (number >= range - (range % total)) continue;
    let ticket = number % total;
    const index = left.findIndex(({ tickets }) => {
      ticket -= tickets;
      return ticket < 0;
    });
    for (const { member, tickets } of left.splice(index, 1)) {
      drawn.push(member);
      total -= tickets;
    }
    if (drawn.length === winners || total === 0) break;
  }
  return drawn;
}
