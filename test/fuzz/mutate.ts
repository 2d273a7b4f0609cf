import type { Random } from './random.ts';

/** Replacements for JSON values that parsers, databases or number conversions may handle incorrectly. */
const values = [
  ...(['null', 'true', 'false', '0', '-0', '-1', '0.1', '1e400', '9007199254740993', '1000000', '1000001'] as const),
  ...(['""', '"\\u0000"', '"\\ud800"', '"42"', '"00000000000000000042"', '"__proto__"', '"constructor"'] as const),
  ...(['"server_vote"', '"bot_vote"', '"premium_purchase"', '"subscription.renewed"'] as const),
  ...(['"subscription.revoked"', '"2025-12-31T23:00:00Z"', '"9999-12-31T23:59:59.999999999+23:59"'] as const),
  ...(['[]', '{}', '[[[[[[[[]]]]]]]]', '{"userId":"42"}', '{"__proto__":{"test":true}}'] as const),
  ...([`"${'x'.repeat(5_000)}"`, `"${'e\u0301\u0302'.repeat(500)}"`] as const),
] as const;

const keys = [
  ...(['event', 'type', 'userId', 'voter', 'serverId', 'server', 'bot', 'timestamp', 'creditsAwarded'] as const),
  ...(['creditDenialReason', 'test', 'orderId', 'purchaseId', 'buyer', 'recipient', 'isGift', 'giftedBy'] as const),
  ...(['tier', 'vendor', 'currentPeriodEnd', '__proto__', 'constructor', 'toJSON'] as const),
] as const;

const bytes = [0x00, 0x22, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xed, 0xf0, 0xfe, 0xff] as const;

type Mutation = (body: Buffer, random: Random, other: Buffer) => Buffer;

const replaceBytes = (body: Buffer, from: number, to: number, by: Uint8Array | string) =>
  Buffer.concat([body.subarray(0, from), Buffer.from(by), body.subarray(to)]);

const byteMutations: readonly [Mutation, ...Mutation[]] = [
  function flipBit(body, random) {
    const changed = Buffer.from(body);
    const at = random.integer(body.length);
    if (body.length > 0) changed[at] = (body[at] ?? 0) ^ (1 << random.integer(8));
    return changed;
  },
  function insertByte(body, random) {
    const at = random.integer(body.length + 1);
    return replaceBytes(body, at, at, Uint8Array.of(random.pick(bytes)));
  },
  function deleteSome(body, random) {
    const at = random.integer(body.length + 1);
    return replaceBytes(body, at, at + random.integer(16), '');
  },
  function repeatSome(body, random) {
    const at = random.integer(body.length + 1);
    const piece = body.subarray(at, at + 1 + random.integer(64)).toString('latin1');
    return replaceBytes(body, at, at, Buffer.from(piece.repeat(1 + random.integer(200)), 'latin1'));
  },
  function cutOff(body, random) {
    return body.subarray(0, random.integer(body.length + 1));
  },
  function splice(body, random, other) {
    return Buffer.concat([
      body.subarray(0, random.integer(body.length + 1)),
      other.subarray(random.integer(other.length + 1)),
    ]);
  },
];

const jsonMutations: readonly [Mutation, ...Mutation[]] = [
  function replaceValue(body, random) {
    const text = body.toString('latin1');
    const matches = [...text.slice(0, 5_000).matchAll(/:\s*("(?:[^"\\]|\\.)*"|[-\w.]+)/g)];
    const [match] = matches.slice(random.integer(matches.length || 1));
    if (match === undefined) return body;
    return replaceBytes(body, match.index, match.index + match[0].length, `:${random.pick(values)}`);
  },
  function addField(body, random) {
    const at = body.indexOf('{') + 1;
    return replaceBytes(body, at, at, `"${random.pick(keys)}":${random.pick(values)},`);
  },
  function nest(body, random) {
    const depth = 1 + random.integer(2_000);
    return Buffer.concat([Buffer.from('[{"a":'.repeat(depth)), body, Buffer.from('}]'.repeat(depth))]);
  },
];

/** Applies one to four mutations: in half of the cases to arbitrary bytes, otherwise to JSON values. */
export function mutate(body: Buffer, random: Random, other: Buffer): Buffer {
  const mutations = random.oneIn(2) ? byteMutations : jsonMutations;
  let changed = body;
  for (let count = 1 + random.integer(4); count > 0; count -= 1)
    changed = random.pick(mutations)(changed, random, other);
  return changed;
}
