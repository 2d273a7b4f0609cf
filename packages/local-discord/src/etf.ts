/**
 * The external term format of Erlang, which the gateway has as another encoding than JSON: of the values that JSON has.
 * Discord: "Gateway", encoding and compression; Erlang: "External Term Format".
 */

const version = 131;

const tag = {
  float: 70,
  smallInteger: 97,
  integer: 98,
  atom: 100,
  smallTuple: 104,
  nil: 106,
  string: 107,
  list: 108,
  binary: 109,
  smallBig: 110,
  smallAtom: 115,
  map: 116,
  utf8Atom: 118,
  smallUtf8Atom: 119,
} as const;

const literals = new Map<string, unknown>([
  ['nil', null],
  ['null', null],
  ['true', true],
  ['false', false],
]);

interface GatewayPayload {
  readonly op: number;
  readonly t?: string | null;
}

/** Encodes a payload of the gateway: names of events and of its own fields are atoms, and ids are integers, as Discord's. */
export function encodeEtf(payload: GatewayPayload): Buffer {
  const { t = null } = payload;
  const fields = Object.entries(payload).map(([name, value]) => {
    const encoded = name === 't' && t !== null ? encodeAtom(t) : encodeValue(value, payload.op !== 0);
    return [encodeAtom(name), encoded];
  });
  return Buffer.concat([Buffer.of(version), header(tag.map, fields.length), ...fields.flat()]);
}

function encodeValue(value: unknown, hasAtoms: boolean): Buffer {
  if (value === null || value === undefined) return encodeAtom('nil');
  if (typeof value === 'boolean') return encodeAtom(String(value));
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'string') return encodeBinary(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return Buffer.of(tag.nil);
    const items = value.map((item) => encodeValue(item, hasAtoms));
    return Buffer.concat([header(tag.list, value.length), ...items, Buffer.of(tag.nil)]);
  }
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  const fields = entries.flatMap(([name, field]) => [
    hasAtoms && isAtom(name) ? encodeAtom(name) : encodeBinary(name),
    isId(name, field) ? encodeBig(BigInt(field)) : encodeValue(field, hasAtoms),
  ]);
  return Buffer.concat([header(tag.map, entries.length), ...fields]);
}

/** True if an atom with this name is read as a name again. */
function isAtom(name: string): boolean {
  return /^\w{1,64}$/.test(name) && !literals.has(name);
}

function isId(name: string, value: unknown): value is string {
  return /^(\w+_)?id$/.test(name) && typeof value === 'string' && /^\d{15,20}$/.test(value);
}

function header(kind: number, size: number): Buffer {
  const bytes = Buffer.of(kind, 0, 0, 0, 0);
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

function encodeAtom(name: string): Buffer {
  const text = Buffer.from(name);
  return Buffer.concat([Buffer.of(tag.smallUtf8Atom, text.length), text]);
}

function encodeBinary(value: string): Buffer {
  const text = Buffer.from(value);
  return Buffer.concat([header(tag.binary, text.length), text]);
}

function encodeNumber(value: number): Buffer {
  if (!Number.isSafeInteger(value)) {
    const bytes = Buffer.alloc(9, tag.float);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (value >= 0 && value < 256) return Buffer.of(tag.smallInteger, value);
  if (Math.abs(value) >= 2 ** 31) return encodeBig(BigInt(value));
  const bytes = Buffer.alloc(5, tag.integer);
  bytes.writeInt32BE(value, 1);
  return bytes;
}

/** Encodes a whole number of up to 64 bits. */
function encodeBig(value: bigint): Buffer {
  const bytes = Buffer.of(tag.smallBig, 8, value < 0n ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0);
  bytes.writeBigUInt64LE(value < 0n ? -value : value, 3);
  return bytes;
}

/** Decodes what a client sends; undefined if it is no term, or one that JSON cannot represent. */
export function decodeEtf(bytes: Buffer): unknown {
  try {
    const reader = new TermReader(bytes);
    return reader.readUInt(1) === version ? reader.readTerm() : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads terms one after the other. Throws a RangeError at the end, and for terms that it does not know. */
class TermReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  readUInt(size: number): number {
    const value = this.#bytes.readUIntBE(this.#offset, size);
    this.#offset += size;
    return value;
  }

  readTerm(): unknown {
    const kind = this.readUInt(1);
    switch (kind) {
      case tag.smallInteger:
        return this.readUInt(1);
      case tag.integer:
        return this.#take(4).readInt32BE();
      case tag.float:
        return this.#take(8).readDoubleBE();
      case tag.smallBig:
        return this.#readBig(this.readUInt(1));
      case tag.atom:
      case tag.utf8Atom:
        return this.#readAtom(this.readUInt(2));
      case tag.smallAtom:
      case tag.smallUtf8Atom:
        return this.#readAtom(this.readUInt(1));
      case tag.binary:
        return this.#take(this.readUInt(4)).toString();
      case tag.nil:
        return [];
      case tag.string:
        return [...this.#take(this.readUInt(2))];
      case tag.smallTuple:
        return this.#readTerms(this.readUInt(1));
      case tag.list:
        return this.#readList(this.readUInt(4));
      case tag.map:
        return this.#readMap(this.readUInt(4));
      default:
        throw new RangeError(`Unknown term ${kind}`);
    }
  }

  #take(size: number): Buffer {
    const end = this.#offset + size;
    if (end > this.#bytes.length) throw new RangeError('The term is cut off.');
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  #readAtom(size: number): unknown {
    const name = this.#take(size).toString();
    return literals.has(name) ? literals.get(name) : name;
  }

  /** Ids are strings, as in JSON. */
  #readBig(size: number): number | string {
    const isNegative = this.readUInt(1) === 1;
    const digits = [...this.#take(size)].reduceRight((value, digit) => value * 256n + BigInt(digit), 0n);
    const value = isNegative ? -digits : digits;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }

  #readTerms(count: number): unknown[] {
    const terms: unknown[] = [];
    while (terms.length < count) terms.push(this.readTerm());
    return terms;
  }

  #readList(count: number): unknown[] {
    const items = this.#readTerms(count);
    this.readTerm(); // The tail, which is empty.
    return items;
  }

  #readMap(count: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (entries.length < count) entries.push([String(this.readTerm()), this.readTerm()]);
    return Object.fromEntries(entries);
  }
}
