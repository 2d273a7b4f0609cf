import { randomBytes } from 'node:crypto';
import { normalizeLine } from '@tallyhook/platform/truncate';
import type { Sql } from '../database.ts';

/** A user of Discord, as the service knows one: the Discord id and the name. */
export interface ServiceMember {
  readonly userId: string;
  readonly username: string;
}

const maxNameLength = 100;

/** A member whose name may be stored and shown, whatever it was. */
export function withSafeName({ userId, username }: ServiceMember): ServiceMember {
  const name = normalizeLine(username);
  if (name === '') return { userId, username: 'A member' };
  return {
    userId,
    username: name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1).toWellFormed()}…` : name,
  };
}

export async function upsertMember(sql: Sql, input: ServiceMember): Promise<void> {
  const member = withSafeName(input);
  await sql
    .insertInto('members')
    .values({ user_id: member.userId, username: member.username })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ username: member.username }))
    .execute();
}

const columns = ['user_id as userId', 'username'] as const;

export async function findMember(sql: Sql, userId: string): Promise<ServiceMember | null> {
  return (await sql.selectFrom('members').select(columns).where('user_id', '=', userId).executeTakeFirst()) ?? null;
}

/** A member, and the value that every valid session of the member contains; null before the first sign-in. */
export function findMemberWithEpoch(sql: Sql, userId: string) {
  const selected = sql.selectFrom('members').select([...columns, 'session_epoch as sessionEpoch']);
  return selected.where('user_id', '=', userId).executeTakeFirst();
}

/**
 * The value for a new session of a member; null for an unknown member. Created by the first sign-in, and random, so
 * that sessions of a deleted member are not valid for a new one with the same id.
 */
export async function sessionEpochOf(sql: Sql, userId: string): Promise<string | null> {
  await sql
    .updateTable('members')
    .set({ session_epoch: newEpoch() })
    .where('user_id', '=', userId)
    .where('session_epoch', 'is', null)
    .execute();
  return (await findMemberWithEpoch(sql, userId))?.sessionEpoch ?? null;
}

/** Ends all sessions of a member, in all processes. */
export async function endSessions(sql: Sql, userId: string): Promise<void> {
  await sql.updateTable('members').set({ session_epoch: newEpoch() }).where('user_id', '=', userId).execute();
}

function newEpoch(): string {
  return randomBytes(12).toString('base64url');
}

/** The first members by id, for the list of members that a visitor may act as. */
export function listMembers(sql: Sql, limit: number): Promise<ServiceMember[]> {
  return sql.selectFrom('members').select(columns).orderBy('user_id').limit(limit).execute();
}

export async function findMembersById(sql: Sql, userIds: readonly string[]): Promise<ServiceMember[]> {
  if (userIds.length === 0) return [];
  return sql.selectFrom('members').select(columns).where('user_id', 'in', userIds).execute();
}

/** Locks a member until the end of the transaction, against others that lock it. */
export async function lockMember(sql: Sql, userId: string): Promise<void> {
  await sql
    .updateTable('members')
    .set((row) => ({ username: row.ref('username') }))
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Ends a session in all processes, and forgets those that have expired. Times are ms since the epoch.
 * @param id random, without the member's id
 * @param expiresAt the end of the session, until which its revocation is stored
 */
export async function revokeSession(sql: Sql, id: string, expiresAt: number, now: number): Promise<void> {
  await sql.deleteFrom('revoked_sessions').where('expires_at', '<=', now).execute();
  await sql
    .insertInto('revoked_sessions')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function isSessionRevoked(sql: Sql, id: string): Promise<boolean> {
  const revoked = sql.selectFrom('revoked_sessions').select('id').where('id', '=', id);
  return (await revoked.executeTakeFirst()) !== undefined;
}
