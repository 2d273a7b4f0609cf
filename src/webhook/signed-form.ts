const signaturePattern = /^[0-9a-f]{64}$/;

/**
 * True if the header has the format of a signature: 64 lowercase hex digits.
 * @category Webhooks
 * @example
 * ```ts
 * import { isSignature } from 'tallyhook';
 *
 * isSignature('0123'); // false
 * ```
 */
export function isSignature(header: string | undefined): header is string {
  return header !== undefined && signaturePattern.test(header);
}

/**
 * Maximum nesting depth of a body that is serialised again. `JSON.stringify` compares each level with all levels above
 * it: 64 KiB of brackets take 60 ms, and an unauthenticated sender can cause that.
 */
const maxDepth = 100;

/**
 * The payload as `JSON.stringify` writes it. The document describes the signature as "of the JSON-serialised payload",
 * so a sender may sign that form and send another layout. Null for undefined (the body is not JSON) and for a payload
 * that is nested deeper than {@link maxDepth}.
 */
export function reserialised(payload: unknown): string | null {
  return payload === undefined || isDeeperThan(maxDepth, payload) ? null : JSON.stringify(payload);
}

/** {@link reserialised} for a payload of the caller; null also for one with what no JSON has, such as a bigint. */
export function serialised(payload: unknown): string | null {
  try {
    return reserialised(payload) ?? null;
  } catch {
    return null;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child));
}

/** The value of a header; values of the same name are joined by a comma, as in HTTP. */
export function joinHeader(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(', ') : header;
}

/** True if the header `Content-Encoding` names an encoding, so that the signature cannot cover the received bytes. */
export function isEncoded(contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  return encoding !== '' && encoding !== 'identity';
}
