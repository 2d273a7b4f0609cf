import { createHash } from 'node:crypto';
import { isEqual, parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import { commitmentOf, drawWinners, hashOfTickets, type MemberTickets, numbersOf } from './draw.ts';

/*
 * The published file of a raffle, with which anybody can check it: docs/raffles.md. Nothing in it is about a guild or
 * names a member.
 */

const format = 'tallyhook raffle 1';
const rule =
  'Number n (n = 0, 1, 2, …) is the first 6 bytes of HMAC-SHA256(seed, "<ticketsHash> <n>"), big-endian. Left out if it is not below the largest multiple of the tickets left (at most 2^48); otherwise number modulo tickets left is the winning ticket, counted from 0 in the order of the list. Who has won takes part no longer.';

/** Terms that are fixed when a raffle begins, before anybody knows who takes part. */
export interface RaffleTerms {
  /** The period, such as `week 2026-W02`. */
  readonly period: string;
  /** ISO 8601, UTC: the first moment of the period, and the first one after it. */
  readonly startsAt: string;
  readonly endsAt: string;
  /** When the seed was made: at the beginning, or later if the raffle was set up or the program was started later. */
  readonly openedAt: string;
  /** How many members win. */
  readonly places: number;
  /** For each winner. */
  readonly credits: number;
  readonly ticketsPerVote: number;
  readonly maxTickets: number;
  /** The SHA-256 of the seed (hex). */
  readonly commitment: string;
}

/** Identifies a raffle, so that its address, which is announced at the beginning, commits to its terms. */
export function raffleIdOf(terms: RaffleTerms): string {
  const { commitment, period, startsAt, endsAt, openedAt, places, credits, ticketsPerVote, maxTickets } = terms;
  const lines = [format, commitment, period, startsAt, endsAt, openedAt, places, credits, ticketsPerVote, maxTickets];
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 32);
}

/** The seed (hex) and the list of tickets that decide a raffle. */
interface DrawnFrom {
  readonly seed: string;
  readonly tickets: readonly MemberTickets[];
}

/** The winners of a raffle, by their pseudonyms, and the text of its file. */
export function drawRaffle(
  terms: RaffleTerms,
  { seed, tickets: drawn }: DrawnFrom,
): { readonly winners: readonly string[]; readonly ticketsHash: string; readonly file: string } {
  const tickets = sorted(drawn);
  const winners = drawWinners(tickets, terms.places, numbersOf(seed, tickets));
  const ticketsHash = hashOfTickets(tickets);
  const published: PublishedRaffle = {
    format,
    id: raffleIdOf(terms),
    ...terms,
    rule,
    seed,
    ticketsHash,
    winners,
    tickets,
  };
  // A line for each member.
  const list = tickets.map((each) => `\n    ${JSON.stringify(each)}`).join(',');
  const { tickets: _list, ...others } = published;
  const text = JSON.stringify(others, null, 2).replace(/\n\}$/, `,\n  "tickets": [${list}${list && '\n  '}]\n}\n`);
  return { winners, ticketsHash, file: text };
}

/** The tickets of a pseudonym in the text of a file, 0 if it is not there. Reads no more than that of a large file. */
export function ticketsIn(file: string, member: string): number {
  const start = `{"member":"${member}","tickets":`;
  const index = file.indexOf(start);
  return index === -1 ? 0 : Number.parseInt(file.slice(index + start.length, index + start.length + 12), 10);
}

/** By the pseudonyms, so that the order says nothing about the members. */
function sorted(tickets: readonly MemberTickets[]): readonly MemberTickets[] {
  // Nothing else of the objects may be published.
  const list = tickets.map(({ member, tickets: number }) => ({ member, tickets: number }));
  return list.sort((one, other) => (one.member < other.member ? -1 : 1));
}

const hex = (length: number) =>
  z
    .string()
    .length(length)
    .regex(/^[0-9a-f]+$/, 'must be hex digits');
const count = z.int().min(1).max(1_000_000_000);
const time = z.iso.datetime();

const publishedRaffle = z.strictObject({
  format: z.literal(format),
  id: hex(32),
  period: z.string(),
  startsAt: time,
  endsAt: time,
  openedAt: time,
  places: count.max(1_000),
  credits: count,
  ticketsPerVote: count.max(1_000),
  maxTickets: count.max(100_000),
  commitment: hex(64),
  rule: z.literal(rule),
  seed: hex(64),
  ticketsHash: hex(64),
  winners: z.array(z.string()).readonly(),
  tickets: z.array(z.strictObject({ member: hex(20), tickets: count })).readonly(),
});

/** The contents of the file. Hex digits are lower-case. */
export type PublishedRaffle = z.output<typeof publishedRaffle>;

/** The result of checking a file. */
export interface CheckedRaffle {
  /** Null if the text is not a published raffle at all. */
  readonly raffle: PublishedRaffle | null;
  /** Sentences; none if everything matches. */
  readonly problems: readonly string[];
}

/** Computes everything again that a file states. Never throws, whatever the text is. */
export function checkRaffle(text: string): CheckedRaffle {
  const parsed = publishedRaffle.safeParse(parseJson(text));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'The file'}: ${message}.`);
    return { raffle: null, problems };
  }
  const raffle = parsed.data;
  const { id, seed, commitment, tickets, ticketsHash, winners, places, maxTickets, ticketsPerVote } = raffle;
  const problems: string[] = [];
  const expect = (isMet: boolean, problem: string) => void (isMet || problems.push(problem));
  expect(
    raffleIdOf(raffle) === id,
    'id does not match commitment, period, startsAt, endsAt, openedAt, places, credits, ticketsPerVote and maxTickets: one of them is not what was announced at the beginning.',
  );
  expect(
    commitmentOf(seed) === commitment,
    `seed does not match commitment: its SHA-256 is ${commitmentOf(seed)}. It is not the seed of the beginning.`,
  );
  const members = new Set(tickets.map(({ member }) => member));
  expect(members.size === tickets.length, 'tickets names a member twice.');
  expect(isEqual(tickets, sorted(tickets)), 'tickets is not in the order of the pseudonyms.');
  expect(
    tickets.every((each) => each.tickets <= maxTickets),
    `tickets has a member with more than maxTickets (${maxTickets}).`,
  );
  expect(
    tickets.every((each) => each.tickets === maxTickets || each.tickets % ticketsPerVote === 0),
    `tickets has a member with tickets for a part of a vote: ticketsPerVote is ${ticketsPerVote}.`,
  );
  const hash = hashOfTickets(tickets);
  expect(hash === ticketsHash, `ticketsHash does not match tickets: their SHA-256 is ${hash}.`);
  const drawn = drawWinners(tickets, places, numbersOf(seed, tickets));
  expect(
    isEqual(drawn, winners),
    `winners does not follow from seed and tickets: ${drawn.length === 0 ? 'nobody wins' : `drawn are ${drawn.join(', ')}`}.`,
  );
  return { raffle, problems };
}
