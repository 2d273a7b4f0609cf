import type { Kysely } from 'kysely';
import { type Correction, correctionEntry, overdraws } from '../../ledger/correction.ts';
import type { LedgerWrites } from '../../ledger/ledger.ts';
import type { OwnerActions } from '../../owner/owner-actions.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The owner's actions, for use inside a transaction of `connection`. */
export function ownerActionWrites(db: Kysely<Tables>, connection: Connection, ledger: LedgerWrites): OwnerActions {
  async function findCorrection(idempotencyKey: string) {
    const correction = db.selectFrom('corrections').selectAll().where('idempotency_key', '=', idempotencyKey);
    return (await run(connection, correction))[0];
  }

  return {
    async correct(correction, idempotencyKey) {
      const previous = await findCorrection(idempotencyKey);
      if (previous !== undefined) {
        return isSame(previous, correction)
          ? { outcome: 'corrected', balance: previous.balance, repeated: true }
          : { outcome: 'key_reused' };
      }
      const account = await ledger.accountState(correction.userId);
      if (overdraws(account.credits, correction.credits)) return { outcome: 'overdrawn', balance: account.credits };
      const { credits: balance } = await ledger.append(account, correctionEntry(correction));
      const { userId: user_id, credits, reason, at } = correction;
      const row = { idempotency_key: idempotencyKey, user_id, credits, reason, balance, at };
      await run(connection, db.insertInto('corrections').values(row));
      return { outcome: 'corrected', balance, repeated: false };
    },

    async requeueEffect(effectId, now) {
      const query = db.selectFrom('effects').select('state').where('id', '=', effectId);
      const [effect] = await run(connection, query);
      if (effect === undefined) return 'unknown';
      if (effect.state !== 'buried') return 'not_buried';
      // With the old nonce Discord might drop it as a repeat, and with the old age it might be buried again.
      const initial = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
      await run(
        connection,
        db
          .updateTable('effects')
          .set({ ...initial, finished_at: null, nonce: null, reason: null })
          .where('id', '=', effectId),
      );
      return 'revived';
    },
  };
}

function isSame(row: { user_id: string; credits: number; reason: string }, correction: Correction): boolean {
  return row.user_id === correction.userId && row.credits === correction.credits && row.reason === correction.reason;
}
