import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { type SealContext, seal } from '@tallyhook/platform/encryption/sealed-text';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { RekeyStore, SealedRow } from '../../core/store/settings/sealed.ts';
import { tokenContext } from '../linked-roles/feature.ts';
import { connectionContext } from '../topgg-connect/feature.ts';
import { contextOf } from './stored.ts';

/** Values per transaction, in which other changes of settings wait: some ms. */
const rowsPerTransaction = 100;

/**
 * Encrypts all stored secrets with another key, while the program runs. May be interrupted at any time and run again;
 * both keys are needed until it has ended.
 * @throws KeyMissingError if one of the keys is missing
 */
export async function rekey(options: {
  readonly store: RekeyStore;
  readonly encryption: Pick<Encryption, 'open'>;
  readonly key: EncryptionKey;
  /** Called after each transaction with the number of values so far. */
  readonly onProgress: (values: number) => void;
  readonly stop: AbortSignal;
}): Promise<number> {
  const { store, encryption, key, onProgress, stop } = options;
  await store.useKey(key.id);
  let total = 0;
  for (;;) {
    if (stop.aborted) throw new TallyhookError('stopped', 'Stopped before all secrets had the new key. Run it again.');
    const rows = await store.sealedWithOthers(key.id, rowsPerTransaction);
    if (rows.length === 0) return total;
    // A value that was changed meanwhile has the new key already.
    total += await store.reseal(rows.map((row) => ({ row, sealed: reseal(row, encryption, key) })));
    onProgress(total);
  }
}

function reseal(row: SealedRow, encryption: Pick<Encryption, 'open'>, key: EncryptionKey): string {
  const context = contextIn(row);
  return seal(key, encryption.open(row.sealed, context), context);
}

function contextIn({ table, column, key }: SealedRow): SealContext {
  const named = (name: string) => String(key[name]);
  switch (table) {
    case 'linked_members':
      return tokenContext(named('user_id'), column === 'access_token' ? column : 'refresh_token');
    case 'topgg_connections':
      return connectionContext(named('connection_id'));
    default:
      return contextOf(named('guild_id'), { listing: named('listing'), path: named('path') });
  }
}
