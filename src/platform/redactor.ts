/** Shorter ones would be found in every other word (characters). */
const shortest = 4;
/** Shorter pieces of Base64 are too likely to be something else. */
const shortestPiece = 8;

/** Replaces every secret that it knows in a text, however it is spelled there. */
export interface Redactor {
  (text: string): string;
  /** From now on these, too. */
  add(secrets: readonly string[]): void;
}

/**
 * The token of an interaction is made by Discord and cannot be known beforehand; it stands in addresses behind the id of the interaction
 * or application. Discord: "Receiving and Responding to Interactions".
 */
const interactionToken = /(\/(?:interactions|webhooks)\/\d+\/)[^/?"\s]+/g;

/**
 * Knows these secrets from the start; one of fewer than 4 characters is left alone. The tokens of interactions it cuts
 * out by their place.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = new Set<string>();
  let longestFirst: readonly string[] = [];
  const add = (more: readonly string[]) => {
    for (const spelling of more.flatMap(spellings)) known.add(spelling);
    longestFirst = [...known].sort((a, b) => b.length - a.length);
  };
  add(secrets);
  const redact = (text: string) =>
    longestFirst
      .reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text)
      .replace(interactionToken, '$1[token]');
  return Object.assign(redact, { add });
}

/** A secret as a text may spell it: as it is, escaped for JSON, encoded for a URL, in hex, and in Base64, alone or inside of something longer. */
function spellings(secret: string): string[] {
  if (secret.length < shortest) return [];
  const bytes = Buffer.from(secret);
  const asUrl = encodeURIComponent(secret.toWellFormed());
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      asUrl,
      asUrl.replaceAll(/%../g, (byte) => byte.toLowerCase()),
      asUrl.replaceAll('%20', '+'),
      encodeURI(secret.toWellFormed()),
      asPassword(secret),
      bytes.toString('hex'),
      ...[0, 1, 2].flatMap((before) => insideBase64(bytes, before)),
    ]),
  ];
}

/** As an address has it in front of the host. */
function asPassword(secret: string): string {
  const address = new URL('postgres://user@host');
  address.password = secret;
  return address.password;
}

/** The part that the secret alone decides where so many bytes, modulo 3, stand before it. A character holds 6 bits. */
function insideBase64(bytes: Buffer, before: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes]);
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor((padded.length * 8) / 6);
  const pieces = (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, to));
  return pieces.filter((piece) => piece.length >= shortestPiece);
}
