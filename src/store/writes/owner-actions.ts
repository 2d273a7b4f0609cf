import type { Kysely } from 'kysely';
import { type Correction, correctionEntry, overdraws } from '../../ledger/correction.ts';
import type { LedgerWrites } from '../../ledger/ledger.ts';
import type { OwnerActions } from '../../owner/owner-actions.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** What the owner may do, inside a transaction of `connection`. */
export function ownerActionWrites(db: Kysely<Tables>, connection: Connection, ledger: LedgerWrites): OwnerActions {
  async function earlier(idempotencyKey: string) {
    const kept = db.selectFrom('corrections').selectAll().where('idempotency_key', '=', idempotencyKey);
    return (await run(connection, kept))[0];
  }

  return {
    async correct(correction, idempotencyKey) {
      const first = await earlier(idempotencyKey);
      if (first !== undefined) {
        return isSame(first, correction)
          ? { outcome: 'corrected', balance: first.balance, repeated: true }
          : { outcome: 'key_reused' };
      }
      const passbook = await ledger.accountState(correction.userId);
      if (overdraws(passbook.credits, correction.credits)) return { outcome: 'overdrawn', balance: passbook.credits };
      const { credits: balance } = await ledger.append(passbook, correctionEntry(correction));
      const { userId: user_id, credits, reason, at } = correction;
      const row = { idempotency_key: idempotencyKey, user_id, credits, reason, balance, at };
      await run(connection, db.insertInto('corrections').values(row));
      return { outcome: 'corrected', balance, repeated: false };
    },

    async requeueEffect(effectId, now) {
      const effect = db.selectFrom('effects').select('state').where('id', '=', effectId);
      const [found] = await run(connection, effect);
      if (found === undefined) return 'unknown';
      if (found.state !== 'buried') return 'not_buried';
      // A new nonce and a new age: under the old ones it might be taken for a repeat, or be buried again for its years.
      const anew = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
      await run(
        connection,
        db
          .updateTable('effects')
          .set({ ...anew, finished_at: null, nonce: null, reason: null })
          .where('id', '=', effectId),
      );
      return 'revived';
    },
  };
}

function isSame(kept: { user_id: string; credits: number; reason: string }, correction: Correction): boolean {
  return kept.user_id === correction.userId && kept.credits === correction.credits && kept.reason === correction.reason;
}
