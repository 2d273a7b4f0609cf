/*
 * Idempotency keys of changes by programs. Keys of other origins have no space, or begin with another word. A lone
 * surrogate, as of an emoji that was cut in two, is stored differently, so that a repeat would not be recognised. The entry
 * of such a change has its key as its achievement.
 */

const changePrefix = 'ledger ';
const refundPrefix = 'ledger-refund ';
const transferPrefix = 'ledger-transfer ';

/** Of an award, a spend, and what a transfer gives. @param key as the program has passed it */
export function changeKeyOf(key: string): string {
  return changePrefix + key.toWellFormed();
}

export function refundKeyOf(key: string): string {
  return refundPrefix + key.toWellFormed();
}

/** Of what a transfer takes. */
export function transferKeyOf(key: string): string {
  return transferPrefix + key.toWellFormed();
}

/** The keys of what else was stored because of a change: its refund, or what the transfer took; null for other corrections. */
export function companionsOf(idempotencyKey: string): { readonly refund: string; readonly transfer: string } | null {
  if (!idempotencyKey.startsWith(changePrefix)) return null;
  const key = idempotencyKey.slice(changePrefix.length);
  return { refund: refundPrefix + key, transfer: transferPrefix + key };
}

/** The key that a program has passed, of the key of a correction; null for one by a person. */
export function programKeyOf(idempotencyKey: string): string | null {
  const prefix = [changePrefix, refundPrefix, transferPrefix].find((each) => idempotencyKey.startsWith(each));
  return prefix === undefined ? null : idempotencyKey.slice(prefix.length);
}

/** The row of an entry with the key of the program that made it, instead of its achievement. */
export function withProgramKey<Row extends { readonly achievement: string | null }>({ achievement, ...entry }: Row) {
  const key = achievement === null ? null : programKeyOf(achievement);
  return key === null ? entry : { ...entry, key };
}
