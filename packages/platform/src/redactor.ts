/** Shorter secrets (characters) occur by chance in ordinary words, so they are not redacted. */
const minSecretLength = 4;
/** Longer secrets (characters) are searched one by one, so that a line takes time proportional to its length. */
const maxIndexedLength = 512;
/** Shorter fragments of Base64 (characters) are too likely to be something else. */
const minBase64Length = 8;

/** Replaces every known secret in a text with `[secret]`, in any of its usual encodings. */
export interface Redactor {
  (text: string): string;
  /** Adds secrets, which are redacted from then on. */
  add(secrets: readonly string[]): void;
}

/** The property of a logger that redacts secrets itself. */
const redactorMark: unique symbol = Symbol('redactor');

/**
 * Discord creates the token of an interaction, so it cannot be known in advance. In URLs it follows the id of the
 * interaction or application. Discord: "Receiving and Responding to Interactions".
 */
const interactionToken = /(\/(?:interactions|webhooks)\/\d+\/)[^/?"\s]+/g;

/** Redacts these secrets, except those of fewer than 4 characters, and the tokens of interactions in URLs. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const encodings = new Set<string>();
  let longestFirst: readonly string[] = [];
  const index = createIndex();
  const add = (newSecrets: readonly string[]) => {
    const long = newSecrets.filter((secret) => secret.length > maxIndexedLength);
    for (const secret of newSecrets)
      if (!long.includes(secret)) for (const each of encodingsOf(secret)) if (!encodings.has(each)) index.add(each);
    for (const encoding of long.flatMap(encodingsOf)) encodings.add(encoding);
    longestFirst = [...encodings].sort((a, b) => b.length - a.length);
  };
  for (const encoding of secrets.flatMap(encodingsOf)) encodings.add(encoding);
  add([]);
  const redact = (text: string) =>
    index
      .redact(longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text))
      .replace(interactionToken, '$1[token]');
  return Object.assign(redact, { add });
}

/** Marks a logger as one that redacts secrets itself. */
export function markRedacting<Logger extends object>(logger: Logger, redact: Redactor): Logger {
  return Object.assign(logger, { [redactorMark]: redact });
}

/** The redactor of a logger's lines; undefined if the logger does not redact secrets itself. */
export function redactorOf(logger: object): Redactor | undefined {
  return redactorMark in logger ? (logger[redactorMark] as Redactor) : undefined;
}

/**
 * Finds any number of texts at once, by their first characters: with a search for each of them, the secrets of thousands
 * of communities would take a second for every line.
 */
function createIndex() {
  const byStart = new Map<string, string[]>();
  return {
    add(text: string): void {
      const start = text.slice(0, minSecretLength);
      const others = byStart.get(start);
      if (others === undefined) byStart.set(start, [text]);
      else if (!others.includes(text))
        byStart.set(
          start,
          [...others, text].sort((a, b) => b.length - a.length),
        );
    },
    redact(text: string): string {
      if (byStart.size === 0) return text;
      let redacted = '';
      let copied = 0;
      for (let position = 0; position <= text.length - minSecretLength; position += 1) {
        const candidates = byStart.get(text.slice(position, position + minSecretLength));
        const found = candidates?.find((each) => text.startsWith(each, position));
        if (found === undefined) continue;
        redacted += `${text.slice(copied, position)}[secret]`;
        copied = position + found.length;
        position = copied - 1;
      }
      return copied === 0 ? text : redacted + text.slice(copied);
    },
  };
}

/** A secret as plain text, escaped for JSON, URL-encoded, in hex, and in Base64, alone or as part of a longer text. */
function encodingsOf(secret: string): string[] {
  if (secret.length < minSecretLength) return [];
  const bytes = Buffer.from(secret);
  const urlEncoded = encodeURIComponent(secret.toWellFormed());
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      urlEncoded,
      urlEncoded.replaceAll(/%../g, (byte) => byte.toLowerCase()),
      urlEncoded.replaceAll('%20', '+'),
      encodeURI(secret.toWellFormed()),
      asUrlPassword(secret),
      bytes.toString('hex'),
      ...[0, 1, 2].flatMap((offset) => base64FragmentsAt(bytes, offset)),
    ]),
  ];
}

/** The form of a secret as the password of a URL (`user:password@host`). */
function asUrlPassword(secret: string): string {
  const url = new URL('postgres://user@host');
  url.password = secret;
  return url.password;
}

/**
 * The Base64 characters that depend on the secret alone when it starts `offset` bytes (modulo 3) into a longer text. A
 * character encodes 6 bits.
 */
function base64FragmentsAt(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((padded.length * 8) / 6);
  const fragments = (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(start, end));
  return fragments.filter((fragment) => fragment.length >= minBase64Length);
}
