/* Decodes the parts of an OTLP ExportTraceServiceRequest (opentelemetry-proto, trace/v1/trace.proto) that tests compare. */

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The traces of the links. */
  readonly links: readonly string[];
  readonly failed: boolean;
}

/** The values of the fields of a protobuf message by their numbers. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

export function decodeSpans(body: Buffer): ReceivedSpan[] {
  return messages(decode(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1).flatMap((each) => messages(each, 1)));
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => ({
      service: String(resource['service.name']),
      traceId: bytes(span, 1).toString('hex'),
      spanId: bytes(span, 2).toString('hex'),
      parentSpanId: bytes(span, 4).toString('hex'),
      name: bytes(span, 5).toString(),
      kind: Number(number(span, 6)),
      attributes: attributesOf(messages(span, 9)),
      links: messages(span, 13).map((link) => bytes(link, 1).toString('hex')),
      failed: messages(span, 15).some((status) => number(status, 3) === 2n),
    }));
  });
}

function attributesOf(pairs: readonly Fields[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value = new Map()] = messages(pair, 2);
      if (value.has(1)) return [bytes(pair, 1).toString(), bytes(value, 1).toString()];
      if (value.has(2)) return [bytes(pair, 1).toString(), number(value, 2) === 1n];
      return [bytes(pair, 1).toString(), Number(number(value, 3))];
    }),
  );
}

function decode(buffer: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let position = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer.readUInt8(position++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    position += length;
    return buffer.subarray(position - length, position);
  };
  while (position < buffer.length) {
    const tag = Number(varint());
    const wireType = tag & 7;
    // 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes.
    const value = wireType === 0 ? varint() : take(wireType === 1 ? 8 : wireType === 5 ? 4 : Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function messages(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).map((value) => decode(Buffer.isBuffer(value) ? value : Buffer.alloc(0)));
}

function bytes(fields: Fields, field: number): Buffer {
  const [value] = fields.get(field) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function number(fields: Fields, field: number): bigint {
  const [value] = fields.get(field) ?? [];
  return typeof value === 'bigint' ? value : 0n;
}
