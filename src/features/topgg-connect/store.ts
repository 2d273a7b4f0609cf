import type { SealContext } from '@tallyhook/platform/encryption/sealed-text';
import type { Selectable } from 'kysely';
import { literal, run, upsert } from '../../core/store/query-builder.ts';
import { haveKey } from '../../core/store/settings/sealed.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';

/** More are not offered at once. */
const maxHeld = 5;

export const reads = {
  async find({ db, connection }: Sql, connectionId: string): Promise<Connection | null> {
    const found = db.selectFrom('topgg_connections').selectAll().where('connection_id', '=', connectionId);
    return (await run(connection, found)).map(toConnection)[0] ?? null;
  },

  /** The connections that a manager of a guild may link there: those of the guild, by any member, and of their own bots. */
  async heldFor({ db, connection }: Sql, guildId: string, userId: string): Promise<readonly Connection[]> {
    const held = db.selectFrom('topgg_connections').selectAll().where('guild_id', 'is', null);
    const offered = held.where(({ eb, and, or }) =>
      or([
        and([eb('kind', '=', 'server'), eb('target_id', '=', guildId)]),
        and([eb('kind', '=', 'bot'), eb('user_id', '=', userId)]),
      ]),
    );
    return (await run(connection, offered.orderBy('at', 'desc').limit(literal(maxHeld)))).map(toConnection);
  },
};

export const writes = {
  /** Holds a connection in place of an earlier one. False for a secret with another key than the database's. */
  async hold(sql: Sql, { connectionId, sealed, ...connection }: Connection & { sealed: string }, at: number) {
    if (!(await haveKey(sql, [sealed]))) return false;
    const { listing, userId: user_id, kind, targetId: target_id } = connection;
    const row = { listing, user_id, kind, target_id, guild_id: null, sealed, at };
    await upsert(sql, 'topgg_connections', { connection_id: connectionId }, row);
    return true;
  },

  /** @param sealed the secret, if it was added to a listing that existed before */
  async linked({ db, connection }: Sql, connectionId: string, guildId: string, sealed: string | null): Promise<void> {
    const row = db.updateTable('topgg_connections').set({ guild_id: guildId, sealed });
    await run(connection, row.where('connection_id', '=', connectionId));
  },

  async remove({ db, connection }: Sql, connectionId: string): Promise<void> {
    await run(connection, db.deleteFrom('topgg_connections').where('connection_id', '=', connectionId));
  },
};

export type ConnectionStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function toConnection(row: Selectable<Tables['topgg_connections']>): Connection {
  const { connection_id: connectionId, listing, user_id: userId, kind, target_id: targetId } = row;
  return { connectionId, listing, userId, kind, targetId, guildId: row.guild_id, sealed: row.sealed };
}

/** A project of top.gg whose owner has pressed *Connect* there. */
export interface Connection {
  readonly connectionId: string;
  /** The name of its listing, or of the one to be: it is part of the address that top.gg has. */
  readonly listing: string;
  readonly userId: string;
  readonly kind: 'server' | 'bot';
  readonly targetId: string;
  /** The guild in which the listing was linked; null while the connection is held. */
  readonly guildId: string | null;
  /**
   * The encrypted secret of a connection that is held, or that was added to a listing that existed before; null once it is
   * linked, because the listing has the secret.
   */
  readonly sealed: string | null;
}

export function connectionContext(connectionId: string): SealContext {
  return ['topgg_connections', connectionId];
}
