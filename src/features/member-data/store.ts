import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject, parseJson } from '@tallyhook/platform/json';
import { type Compilable, sql as kyselySql, type Selectable } from 'kysely';
import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import { type EffectFormats, type NewEffect, parseContent, serializeContent } from '../../core/outbox/effect-kind.ts';
import { parseQueue, queueName, rangeOfType } from '../../core/outbox/queue.ts';
import { linkedEntries } from '../../core/store/account-columns.ts';
import { accountsOfMember, lockAccountsOf, releaseAccount } from '../../core/store/accounts.ts';
import { communityOfGuild } from '../../core/store/communities.ts';
import { chunksOf, type Gifts, type MemberRows, type Mentions } from '../../core/store/member-data/member-table.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { waitingIn } from '../../core/store/outbox/store.ts';
import { literal, lock, run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { noDelivery, type Tables } from '../../core/store/tables.ts';
import { roleEffect } from '../../core/tally/grants.ts';
import { forgottenVoteKey } from '../../core/tally/idempotency-key.ts';

/** The rows about a member by table, as they are stored, with JSON columns parsed. Times are ms since the epoch. */
export type ExportedRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The pseudonym of a forgotten member, and how long votes are kept. */
export interface Forgetting {
  readonly pseudonym: string;
  /** The current time (ms since the epoch). */
  readonly now: number;
  /** For how long after a vote its repeat is still recognised if it has no timestamp (ms). */
  readonly keepVotesMs: number;
}

export const reads = {
  findMentions,

  /** Everything that is stored about a member. Tables without rows about the member are missing. */
  async export(sql: Sql, userId: string): Promise<ExportedRows> {
    const { db, connection, memberTables } = sql;
    const accounts = await accountsOfMember(connection, db, userId);
    const rows = await findMemberRows(sql, userId, accounts, await findMentions(sql, userId));
    const exported: [string, ExportedRows[string]][] = [];
    for (const [name, table] of Object.entries(memberTables)) {
      if (!('select' in table)) continue;
      const selected = await runAll(sql, table.select(db, rows));
      if (selected.length > 0) exported.push([name, selected.map((row) => toReadable(sql, row))]);
    }
    return Object.fromEntries(exported);
  },
};

export const writes = {
  /** Forgets a member in all communities. @param found before the transaction, because it takes long */
  async forget(sql: Sql, userId: string, found: Mentions, { pseudonym, now, keepVotesMs }: Forgetting): Promise<void> {
    const { db, connection } = sql;
    const tables = Object.values(sql.memberTables).filter((table) => 'forget' in table);
    await lock(connection, db, 'orders');
    const effects: NewEffect[] = [];
    for (const { beforeForgetting } of sql.hooks) effects.push(...((await beforeForgetting?.(sql, userId, now)) ?? []));
    const accounts = await lockAccountsOf(connection, db, userId);
    const accountIds = accounts.map(({ id }) => id);
    const grants = await run(connection, db.selectFrom('grants').selectAll().where('user_id', '=', userId));
    const rows = await findMemberRows(sql, userId, accountIds, found);
    for (const { id, lastVotes } of accounts) {
      const community = { id: partsOf(id).communityId };
      for (const [name, at] of Object.entries(lastVotes)) {
        const expiresAt = at + keepVotesMs;
        if (expiresAt <= now) continue;
        const key = Buffer.from(forgottenVoteKey(userId, { name, community }), 'hex');
        await upsert(sql, 'forgotten_votes', { key }, { at, expires_at: expiresAt });
      }
    }
    for (const account of accounts) await releaseAccount(connection, db, { ...account, roles: [] });
    for (const table of tables) await runAll(sql, table.forget(db, rows, pseudonym));
    await enqueue(sql, [...(await roleRemovals(sql, grants, now)), ...effects]);
  },

  async deleteExpired({ db, connection }: Sql, now: number): Promise<void> {
    await run(connection, db.deleteFrom('forgotten_votes').where('expires_at', '<=', now));
  },
};

export type MemberDataStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/**
 * Replaces the member's id everywhere, deletes the bodies of the member's deliveries and cancels waiting effects, in
 * one transaction. Entries, sums and idempotency keys remain. Roles that were granted are removed by effects, which
 * contain the id until then. Does nothing for a member of whom nothing is stored.
 */
export async function forgetMember(store: MemberDataStore, userId: string, forgetting: Forgetting): Promise<void> {
  await store.forget(userId, await store.findMentions(userId), forgetting);
}

/** The effects read the grants when they are carried out, and there are none left then. */
async function roleRemovals(
  sql: Sql,
  grants: readonly Selectable<Tables['grants']>[],
  now: number,
): Promise<readonly NewEffect[]> {
  const roles = new Map(grants.map((grant) => [`${grant.guild_id} ${grant.role}`, grant]));
  const effects: NewEffect[] = [];
  for (const { guild_id: guildId, user_id: userId, role } of roles.values()) {
    effects.push(roleEffect(await communityOfGuild(sql, guildId), { guildId, userId, role, erase: true }, null, now));
  }
  return effects;
}

async function runAll<Row>({ connection }: Sql, queries: readonly Compilable<Row>[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const query of queries) rows.push(...(await run(connection, query)));
  return rows;
}

const jsonColumns = ['body', 'last_votes', 'history', 'roles'];

function toReadable({ effects }: Sql, row: object): Record<string, unknown> {
  const columns = Object.entries<unknown>({ ...row });
  const kind = 'kind' in row ? String(row.kind) : '';
  return Object.fromEntries(
    columns.map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      if (name === 'content') {
        const contents = parseContent(effects, kind, value);
        return [name, 'reason' in contents ? parsed(value) : contents.content];
      }
      return [name, jsonColumns.includes(name) ? parsed(value) : value];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Rows that one query scans: a few ms, in which SQLite blocks this thread. */
const scanSize = 5_000;
/** Discord IDs have more digits; a shorter one could be any number. */
const minIdLength = 15;

/** Checks whether a text contains a member's id, and not as a part of a longer number. */
export function mentions(text: string, userId: string): boolean {
  if (userId.length < minIdLength) return text.includes(`"${userId}"`);
  for (let at = text.indexOf(userId); at !== -1; at = text.indexOf(userId, at + 1)) {
    if (!isDigit(text[at - 1]) && !isDigit(text[at + userId.length])) return true;
  }
  return false;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** Mentions of a member in gifts, reports and the like, by scanning in slices, so that other work is not delayed. */
export async function findMentions({ db, connection }: Sql, userId: string): Promise<Mentions> {
  // The partial index of these deliveries has them by user and id.
  const deliveries = db
    .selectFrom('deliveries')
    .select(['id', 'user_id as userId', 'body as text'])
    .where((eb) => eb.or([eb('outcome', '<>', literal('recorded')), eb('family', '=', literal('premium'))]));
  const withoutUser = await scan('', ({ id }) =>
    deliveries.where('user_id', 'is', kyselySql.lit(null)).where('id', '>', id).orderBy('id'),
  );
  const ofUsers = await scan('', (last) =>
    deliveries.where(kyselySql<boolean>`(user_id, id) > (${last.userId}, ${last.id})`).orderBy('user_id').orderBy('id'),
  );
  const effects = db.selectFrom('effects').select(['id', 'queue as userId', 'content as text']);
  const effectIds = await scan('', ({ id }) =>
    effects.where('delivery_id', '=', literal(noDelivery)).where('id', '>', id).orderBy('id'),
  );
  return { deliveryIds: [...withoutUser, ...ofUsers], effectIds, correctionKeys: await scanCorrections() };

  async function scanCorrections(): Promise<string[]> {
    const found: string[] = [];
    const corrections = db.selectFrom('corrections').select('idempotency_key as key').orderBy('idempotency_key');
    for (let last: string | undefined = ''; last !== undefined; await nextTurn()) {
      const following = corrections.where('idempotency_key', '>', last).limit(scanSize);
      const rows: readonly { readonly key: string }[] = await run(connection, following);
      found.push(...rows.map(({ key }) => key).filter((key) => hasId(key, userId)));
      last = rows.length < scanSize ? undefined : rows.at(-1)?.key;
    }
    return found;
  }

  async function scan(
    first: string,
    following: (last: Position) => { limit(size: number): Compilable<Position & { readonly text: string }> },
  ): Promise<number[]> {
    const found: number[] = [];
    let last: Position | undefined = { id: -1, userId: first };
    while (last !== undefined) {
      const rows: readonly (Position & { readonly text: string })[] = await run(
        connection,
        following(last).limit(scanSize),
      );
      const mentioning = rows.filter((row) => mentions(row.text, userId) && !isErasing(row.userId ?? '', row.text));
      found.push(...mentioning.map(({ id }) => id));
      last = rows.length < scanSize ? undefined : rows.at(-1);
      await nextTurn();
    }
    return found;
  }
}

/** Checks whether an idempotency key contains a member's id, perhaps next to other digits. */
function hasId(key: string, userId: string): boolean {
  return userId.length < minIdLength ? mentions(key, userId) : key.includes(userId);
}

interface Position {
  readonly id: number;
  readonly userId: string | null;
}

/** The rows of a member by their indexes, and the mentions. @param accounts those of the member */
export async function findMemberRows(
  sql: Sql,
  userId: string,
  accounts: readonly AccountId[],
  found: Mentions,
): Promise<MemberRows> {
  const { db, connection } = sql;
  const newest: number[] = [];
  if (accounts.length > 0) {
    const balances = db.selectFrom('balances').select('last_entry').where('account_id', 'in', accounts);
    newest.push(...(await run(connection, balances)).flatMap(({ last_entry }) => last_entry ?? []));
  }
  const entries = await run(connection, linkedEntries(db, newest).selectFrom('linked').select(['id', 'delivery_id']));
  const ownDeliveries = await run(
    connection,
    db
      .selectFrom('deliveries')
      .select('id')
      .where('user_id', '=', userId)
      .where((eb) => eb.or([eb('outcome', '<>', literal('recorded')), eb('family', '=', literal('premium'))])),
  );
  const deliveryIds = distinct([
    ...entries.flatMap(({ delivery_id }) => delivery_id ?? []),
    ...ownDeliveries.map(({ id }) => id),
    ...found.deliveryIds,
  ]);
  const queues = ownQueues(sql, userId, accounts);
  // Also direct messages from communities in which the member has no account.
  function isDirectMessageTo(queue: string): boolean {
    const { type, id } = parseQueue(queue);
    return type === 'dm' && id === userId;
  }
  const isOwn = ({ queue, content }: { readonly queue: string; readonly content: string }) =>
    queues.includes(queue) || isDirectMessageTo(queue) || (mentions(content, userId) && !isErasing(queue, content));
  // A vote can also have effects that concern everyone, such as the reward of a party.
  const effects = db.selectFrom('effects').select(['id', 'queue', 'content']);
  const ofDeliveries: number[] = [];
  for (const ids of chunksOf(deliveryIds)) {
    const rows = await run(connection, effects.where('delivery_id', 'in', ids));
    ofDeliveries.push(...rows.filter(isOwn).map(({ id }) => id));
  }
  // Effects without a delivery that were added after the scan.
  const waiting = await run(
    connection,
    waitingIn(db)
      .select(['id', 'queue', 'content'])
      .where(({ eb, and, or }) =>
        or([
          eb('queue', 'in', queues),
          // Calls of a handler whose process is not running can be a million, too many to be read here.
          ...(['role', 'roles', 'handler'] as const).map((type) => {
            const [after, before] = rangeOfType(type);
            return and([eb('queue', '>', after), eb('queue', '<', before), eb('content', 'like', `%${userId}%`)]);
          }),
        ]),
      ),
  );
  const ownCorrections = db.selectFrom('corrections').select('idempotency_key as key');
  const added = accounts.length === 0 ? [] : await run(connection, ownCorrections.where('account_id', 'in', accounts));
  const correctionKeys = added.map(({ key }) => key).filter((key) => hasId(key, userId));
  const effectIds = distinct([...ofDeliveries, ...waiting.filter(isOwn).map(({ id }) => id), ...found.effectIds]);
  return {
    userId,
    accounts,
    entryIds: entries.map(({ id }) => id),
    deliveryIds,
    effectIds,
    correctionKeys: [...new Set([...found.correctionKeys, ...correctionKeys])],
    queues,
    gifts: await findGifts(sql, userId, { deliveryIds, effectIds }),
  };
}

/** Checks whether an effect removes a role of a member who was forgotten before, and then erases its content. */
function isErasing(queue: string, content: string): boolean {
  return parseQueue(queue).type.startsWith('role') && content.includes('"erase":true');
}

function ownQueues({ hooks }: Sql, userId: string, accounts: readonly AccountId[]): readonly string[] {
  return [
    ...accounts.map((accountId) => queueName('dm', partsOf(accountId).communityId, userId)),
    ...hooks.flatMap(({ queueOf }) => queueOf?.(userId) ?? []),
  ];
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

/** Gifts of a member that mention the member: they belong to their recipients, also when the giver is forgotten. */
async function findGifts(
  { db, connection, effects: formats }: Pick<Sql, 'db' | 'connection' | 'effects'>,
  giver: string,
  found: { readonly deliveryIds: readonly number[]; readonly effectIds: readonly number[] },
): Promise<Gifts> {
  const deliveries = new Map<number, string>();
  for (const ids of chunksOf(found.deliveryIds)) {
    const premium = db.selectFrom('deliveries').select(['id', 'body']).where('family', '=', literal('premium'));
    const ofOthers = premium
      .where('id', 'in', ids)
      .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '<>', giver)]));
    for (const { id, body } of await run(connection, ofOthers)) {
      const text = bodyWithoutGiver(body, giver);
      if (text !== null) deliveries.set(id, text);
    }
  }
  const effects = new Map<number, string>();
  for (const ids of chunksOf(found.effectIds)) {
    const announcements = db
      .selectFrom('effects')
      .select(['id', 'kind', 'content'])
      .where('kind', 'in', sharedKinds(formats).map(literal));
    const mentioning = announcements.where('id', 'in', ids).where('content', 'like', `%"${giver}"%`);
    for (const { id, kind, content } of await run(connection, mentioning)) {
      const text = contentWithoutMember(formats, kind, content, giver);
      if (text !== null) effects.set(id, text);
    }
  }
  return { deliveries, effects };
}

/**
 * The body of a premium event without its giver: `giftedBy`, `buyer` and `userId` if they are the giver. Null if it
 * names no other recipient, mentions the giver elsewhere, or names no order: then the body itself identifies the event.
 */
export function bodyWithoutGiver(body: string, giver: string): string | null {
  const json = parseJson(body);
  if (!isObject(json)) return null;
  const recipient = personId(json['recipient']);
  if (recipient === null || recipient === giver || (!json['orderId'] && !json['purchaseId'])) return null;
  const isGiver = (name: string) => personId(json[name]) === giver;
  const kept = Object.entries(json).filter(([name]) => !giverFields.includes(name) || !isGiver(name));
  const text = JSON.stringify(Object.fromEntries(kept));
  return text.includes(giver) ? null : text;
}

function sharedKinds(formats: EffectFormats): readonly string[] {
  return Object.entries(formats).flatMap(([kind, format]) => ('withoutMember' in format ? kind : []));
}

const giverFields: readonly string[] = ['giftedBy', 'buyer', 'userId'];

/** Null if it belongs to the member alone. */
function contentWithoutMember(formats: EffectFormats, kind: string, text: string, userId: string): string | null {
  const contents = parseContent(formats, kind, text);
  if ('reason' in contents) return null;
  const kept = formats[kind]?.withoutMember?.(contents.content, userId) ?? null;
  const keptText = kept && serializeContent({ kind, content: kept });
  return keptText?.includes(userId) ? null : keptText;
}

/** Services send a person as an object or as the bare id. Null for anything else. */
function personId(value: unknown): string | null {
  const id = isObject(value) ? (value['userId'] ?? value['id']) : value;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}
