import type { Selectable } from 'kysely';
import type { ClaimedEffect } from '../../outbox/effect.ts';
import { announcementKind, type Contents, parseContent, type UnreadableContents } from '../../outbox/effect-kind.ts';
import { maxDueAheadMs } from '../../outbox/outbox.ts';
import { literal, preparedStatement, run } from '../query-builder.ts';
import type { Sql } from '../sql-module.ts';
import { noDelivery, type Tables } from '../tables.ts';
import { waitingIn } from './queues.ts';

/**
 * Claims effects. A lease is the due time moved into the future: if the effect is not finished by then, it is due again.
 */
export async function claim(
  sql: Sql,
  queue: string,
  now: number,
  leaseUntil: number,
  limit: number,
): Promise<readonly ClaimedEffect[]> {
  let due = await findFirstDue(sql, queue, now);
  if (due === undefined && (await resetDueTimes(sql, queue, now))) due = await findFirstDue(sql, queue, now);
  if (due === undefined) return [];
  const { nonce, due_at: dueAt } = due;
  const locked = await (nonce === null ? lockNew(sql, { queue, now, limit }) : lockMessage(sql, queue, dueAt, nonce));
  const parsed = locked.map((row) => ({ row, contents: parseContent(sql.effects, row.kind, row.content) }));
  const claimed = selectTogether(parsed);
  const [first] = claimed;
  if (first === undefined) return [];
  const contents = new Map(claimed.map((each) => [each.row.id, each.contents]));
  const ids = claimed.map(({ row }) => row.id);
  const rows = await lease(sql, { ids, nonce: nonce ?? createNonce(first.row), leaseUntil, now });
  return rows.flatMap((row) => toEffect(row, contents.get(row.id), now)).sort((a, b) => a.id - b.id);
}

/** The first due effect of a queue. It determines what is claimed. */
async function findFirstDue(sql: Sql, queue: string, now: number) {
  return (await findDue(sql, { queue, now }))[0];
}

const findDue = preparedStatement<{ queue: string; now: number }>()((db, placeholder) =>
  dueIn(db, placeholder('queue'), placeholder('now')).select(['due_at', 'nonce']).limit(1),
);

/**
 * Makes effects of a queue due whose due time is too far ahead: a clock that was ahead has written it. Returns whether
 * there were any.
 */
async function resetDueTimes({ db, connection }: Sql, queue: string, now: number): Promise<boolean> {
  const waiting = db.updateTable('effects').set({ due_at: now }).where('state', '=', literal('waiting'));
  const tooFarAhead = waiting.where('queue', '=', queue).where('due_at', '>', now + maxDueAheadMs);
  return (await run(connection, tooFarAhead.returning('id'))).length > 0;
}

/** Due effects that no message contains yet, except those that another process is claiming. */
const lockNew = preparedStatement<{ queue: string; now: number; limit: number }>()((db, placeholder) =>
  dueIn(db, placeholder('queue'), placeholder('now'))
    .where('nonce', 'is', null)
    .select(lockedColumns)
    .limit(placeholder('limit'))
    .forUpdate()
    .skipLocked(),
);

const lease = preparedStatement<{ ids: readonly number[]; nonce: string; leaseUntil: number; now: number }>()(
  (db, placeholder) =>
    db
      .updateTable('effects')
      .set((eb) => ({
        nonce: placeholder('nonce'),
        attempts: eb('attempts', '+', 1),
        due_at: placeholder('leaseUntil'),
        reason: null,
        unsure_since: eb.fn.coalesce('unsure_since', eb.val(placeholder('now'))),
      }))
      .where('id', 'in', placeholder('ids'))
      .returning(claimedColumns),
);

/** The effects of an attempted message, which share their due time; empty while another process has any of them. */
async function lockMessage({ db, connection }: Sql, queue: string, dueAt: number, nonce: string) {
  const message = waitingOf(db, queue).where('due_at', '=', dueAt).where('nonce', '=', nonce);
  const effects = await run(connection, message.select('id'));
  const locked = await run(connection, message.select(lockedColumns).orderBy('id').forUpdate().skipLocked());
  return locked.length === effects.length ? locked : [];
}

function dueIn(db: Sql['db'], queue: string, now: number) {
  return waitingOf(db, queue).where('due_at', '<=', now).orderBy('due_at').orderBy('id');
}

function waitingOf(db: Sql['db'], queue: string) {
  return waitingIn(db).where('queue', '=', queue);
}

/** The nonce of a message (at most 25 characters). The time makes it unique even if the database is created again. */
export function createNonce(effect: { id: number; created_at: number }, suffix = ''): string {
  return `${effect.id.toString(36)}-${effect.created_at.toString(36)}${suffix}`;
}

const lockedColumns = ['id', 'created_at', 'kind', 'content'] as const;
const claimedColumns = [
  ...(['id', 'delivery_id', 'queue', 'attempts', 'created_at', 'nonce', 'unsure_since', 'traceparent'] as const),
];

interface ParsedRow {
  readonly row: Pick<Selectable<Tables['effects']>, 'id' | 'created_at'>;
  readonly contents: Contents | UnreadableContents;
}

/** Of effects in their order, those that are carried out together: the unreadable ones, or the first of one kind. */
function selectTogether(parsed: readonly ParsedRow[]): readonly ParsedRow[] {
  const unreadable = parsed.filter(({ contents }) => 'reason' in contents);
  if (unreadable.length > 0) return unreadable;
  if (parsed[0]?.contents.kind !== announcementKind.kind) return parsed.slice(0, 1);
  const other = parsed.findIndex(({ contents }) => contents.kind !== announcementKind.kind);
  return other === -1 ? parsed : parsed.slice(0, other);
}

function toEffect(
  row: Pick<Selectable<Tables['effects']>, (typeof claimedColumns)[number]>,
  contents: Contents | UnreadableContents | undefined,
  claimedAt: number,
): ClaimedEffect[] {
  if (contents === undefined) return [];
  const fields = {
    id: row.id,
    deliveryId: row.delivery_id === noDelivery ? null : row.delivery_id,
    queue: row.queue,
    attempts: row.attempts,
    createdAt: row.created_at,
    nonce: row.nonce ?? '',
    possiblySentSince: row.unsure_since === claimedAt ? null : row.unsure_since,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
  return [{ ...fields, ...contents }];
}
