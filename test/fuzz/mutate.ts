import type { Chance } from './chance.ts';

/** What is put in the place of a value in JSON: what parsers, databases and readers of numbers stumble over. */
const values = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '0.1',
  '1e400',
  '9007199254740993',
  '1000000',
  '1000001',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"42"',
  '"00000000000000000042"',
  '"__proto__"',
  '"constructor"',
  '"server_vote"',
  '"bot_vote"',
  '"premium_purchase"',
  '"subscription.renewed"',
  '"subscription.revoked"',
  '"2025-12-31T23:00:00Z"',
  '"9999-12-31T23:59:59.999999999+23:59"',
  '[]',
  '{}',
  '[[[[[[[[]]]]]]]]',
  '{"userId":"42"}',
  '{"__proto__":{"test":true}}',
  `"${'x'.repeat(5_000)}"`,
  `"${'e\u0301\u0302'.repeat(500)}"`,
] as const;

const keys = [
  'event',
  'type',
  'userId',
  'voter',
  'serverId',
  'server',
  'bot',
  'timestamp',
  'creditsAwarded',
  'creditDenialReason',
  'test',
  'orderId',
  'purchaseId',
  'buyer',
  'recipient',
  'isGift',
  'giftedBy',
  'tier',
  'vendor',
  'currentPeriodEnd',
  '__proto__',
  'constructor',
  'toJSON',
] as const;

const bytes = [0x00, 0x22, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xed, 0xf0, 0xfe, 0xff] as const;

type Mutation = (body: Buffer, chance: Chance, other: Buffer) => Buffer;

const replaced = (body: Buffer, from: number, to: number, by: Uint8Array | string) =>
  Buffer.concat([body.subarray(0, from), Buffer.from(by), body.subarray(to)]);

const ofBytes: readonly [Mutation, ...Mutation[]] = [
  function flipBit(body, chance) {
    const changed = Buffer.from(body);
    const at = chance.number(body.length);
    if (body.length > 0) changed[at] = (body[at] ?? 0) ^ (1 << chance.number(8));
    return changed;
  },
  function insertByte(body, chance) {
    const at = chance.number(body.length + 1);
    return replaced(body, at, at, Uint8Array.of(chance.pick(bytes)));
  },
  function deleteSome(body, chance) {
    const at = chance.number(body.length + 1);
    return replaced(body, at, at + chance.number(16), '');
  },
  function repeatSome(body, chance) {
    const at = chance.number(body.length + 1);
    const piece = body.subarray(at, at + 1 + chance.number(64)).toString('latin1');
    return replaced(body, at, at, Buffer.from(piece.repeat(1 + chance.number(200)), 'latin1'));
  },
  function cutOff(body, chance) {
    return body.subarray(0, chance.number(body.length + 1));
  },
  function splice(body, chance, other) {
    return Buffer.concat([
      body.subarray(0, chance.number(body.length + 1)),
      other.subarray(chance.number(other.length + 1)),
    ]);
  },
];

const ofJson: readonly [Mutation, ...Mutation[]] = [
  function replaceValue(body, chance) {
    const text = body.toString('latin1');
    const found = [...text.slice(0, 5_000).matchAll(/:\s*("(?:[^"\\]|\\.)*"|[-\w.]+)/g)];
    const [chosen] = found.slice(chance.number(found.length || 1));
    if (chosen === undefined) return body;
    return replaced(body, chosen.index, chosen.index + chosen[0].length, `:${chance.pick(values)}`);
  },
  function addField(body, chance) {
    const at = body.indexOf('{') + 1;
    return replaced(body, at, at, `"${chance.pick(keys)}":${chance.pick(values)},`);
  },
  function nest(body, chance) {
    const depth = 1 + chance.number(2_000);
    return Buffer.concat([Buffer.from('[{"a":'.repeat(depth)), body, Buffer.from('}]'.repeat(depth))]);
  },
];

/** The body, changed in one to four places: half of the time only where it stays the JSON that it was. */
export function mutate(body: Buffer, chance: Chance, other: Buffer): Buffer {
  const kinds = chance.once(2) ? ofBytes : ofJson;
  let changed = body;
  for (let times = 1 + chance.number(4); times > 0; times -= 1) changed = chance.pick(kinds)(changed, chance, other);
  return changed;
}
