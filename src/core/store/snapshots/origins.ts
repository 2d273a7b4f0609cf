import { partsOf } from '../../ledger/account.ts';
import { linkPath } from '../../settings/stored-settings.ts';
import { parseIdentities } from '../../tally/listing-identity.ts';
import { accountOf } from '../account-columns.ts';
import { literal } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

/** Deliveries that were recorded for another community than the one whose secret has authenticated them, by their ids. */
export interface ForeignRecordings {
  /** Their entries are in accounts of another community. */
  readonly certain: readonly number[];
  /**
   * Of an earlier version, which did not store whose secret it was: they were recorded by a replay, and before it another
   * guild has unlinked a listing that it had when they were received.
   */
  readonly possible: readonly number[];
}

export async function foreignRecordings(snapshot: Snapshot): Promise<ForeignRecordings> {
  return { certain: await paidElsewhere(snapshot), possible: await replayedAfterUnlinking(snapshot) };
}

async function paidElsewhere({ db, run }: Snapshot): Promise<readonly number[]> {
  const paid = await run(
    db
      .selectFrom('deliveries')
      .innerJoin('entries', 'entries.delivery_id', 'deliveries.id')
      .select(['deliveries.id', 'deliveries.origin', 'entries.user_id'])
      .where('origin', 'is not', null)
      .orderBy('deliveries.id'),
  );
  const foreign = paid.filter((row) => {
    const { accounts } = partsOf(accountOf(row));
    return parseIdentities(row.origin)?.every((identity) => identity.accounts !== accounts) === true;
  });
  return [...new Set(foreign.map(({ id }) => id))];
}

async function replayedAfterUnlinking({ db, run }: Snapshot): Promise<readonly number[]> {
  const links = await run(
    db
      .selectFrom('changed_settings')
      .innerJoin('setting_changes', 'setting_changes.id', 'changed_settings.change_id')
      .select(['changed_settings.guild_id', 'listing', 'at', 'after_value'])
      .where('path', '=', literal(linkPath))
      .orderBy('change_id'),
  );
  const unlinked = links.filter(({ after_value }) => after_value === null);
  if (unlinked.length === 0) return [];
  // Of a delivery that is recorded as it is received, the effects have its time.
  const replayed = await run(
    db
      .selectFrom('effects')
      .innerJoin('deliveries', 'deliveries.id', 'effects.delivery_id')
      .select(({ fn }) => ['deliveries.id', 'listing', 'received_at', fn.min('created_at').as('replayed_at')])
      .whereRef('created_at', '>', 'received_at')
      .where('origin', 'is', null)
      .where('outcome', 'in', [literal('recorded'), literal('test')])
      .groupBy(['deliveries.id', 'listing', 'received_at'])
      .orderBy('deliveries.id'),
  );
  const isPossible = ({ listing, received_at, replayed_at }: (typeof replayed)[number]) =>
    unlinked.some((end) => {
      const isOwn = links.some((link) => link.listing === listing && link.guild_id === end.guild_id);
      const start = links.find((link) => link.listing === end.listing && link.guild_id === end.guild_id);
      const wasLinked = start !== undefined && start.at <= received_at && received_at <= end.at;
      return !isOwn && wasLinked && end.at <= replayed_at;
    });
  return replayed.filter(isPossible).map(({ id }) => id);
}
