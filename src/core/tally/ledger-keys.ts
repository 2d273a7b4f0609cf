/*
 * Idempotency keys of changes by programs. Keys of other origins have no space, or begin with another word. A lone
 * surrogate, as of an emoji that was cut in two, is stored differently, so that a repeat would not be recognised.
 */

const changePrefix = 'ledger ';
const refundPrefix = 'ledger-refund ';

/** @param key as the program has passed it */
export function changeKeyOf(key: string): string {
  return changePrefix + key.toWellFormed();
}

export function refundKeyOf(key: string): string {
  return refundPrefix + key.toWellFormed();
}

/** The key of the refund of a change; null if the change cannot be refunded. */
export function refundOfChange(idempotencyKey: string): string | null {
  return idempotencyKey.startsWith(changePrefix) ? refundPrefix + idempotencyKey.slice(changePrefix.length) : null;
}
