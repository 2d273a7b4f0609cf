import { hour, minute } from '@tallyhook/platform/durations';
import type { Database, Sql } from '../database.ts';
import type { Row } from '../tables.ts';

/** How long a proof is valid (ms). */
export const guildProofTtlMs = hour;

/** A server (guild) that the member owns or may manage (permission "Manage Server"), by Discord's word. */
export interface ProvenGuild {
  /** The Discord id, which is also the id of its listing. */
  readonly id: string;
  /** Chosen by people: hostile until escaped. */
  readonly name: string;
  /** The picture on Discord's CDN; null if the server has none. */
  readonly iconUrl: string | null;
  /** True if the member owns the server. Otherwise the member may manage it. */
  readonly isOwner: boolean;
  /** Discord's approximate numbers of members; null if it did not say them. */
  readonly members: number | null;
  readonly online: number | null;
}

/**
 * The servers of which the member has proven within the last hour that they may list them, by name; empty without a
 * proof. To get one, send the member to `/sign-in/discord/servers?next=PATH`: Discord asks for the consent, and the
 * member comes back to PATH, a path of this service.
 * @param now ms since the epoch
 */
export async function provenGuilds(sql: Sql, userId: string, now: number): Promise<readonly ProvenGuild[]> {
  const rows = await valid(sql, userId, now).orderBy('name').orderBy('guild_id').execute();
  return rows.map(guildOfRow);
}

/** One of {@link provenGuilds}; null if there is no valid proof for it. To be checked when the form arrives. */
export async function findProvenGuild(
  sql: Sql,
  userId: string,
  guildId: string,
  now: number,
): Promise<ProvenGuild | null> {
  const row = await valid(sql, userId, now).where('guild_id', '=', guildId).executeTakeFirst();
  return row ? guildOfRow(row) : null;
}

export async function saveProvenGuilds(
  database: Database,
  userId: string,
  guilds: readonly ProvenGuild[],
  now: number,
): Promise<void> {
  const rows = guilds.map((guild) => ({
    user_id: userId,
    guild_id: guild.id,
    name: guild.name,
    icon_url: guild.iconUrl,
    is_owner: guild.isOwner ? 1 : 0,
    members: guild.members,
    online: guild.online,
    expires_at: now + guildProofTtlMs,
  }));
  await database.transaction().execute(async (sql) => {
    await sql.deleteFrom('proven_guilds').where('user_id', '=', userId).execute();
    if (rows.length === 0) return;
    await sql
      .insertInto('proven_guilds')
      .values(rows)
      // Another process may have inserted the same proof meanwhile.
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'guild_id']).doUpdateSet((excluded) => ({
          name: excluded.ref('excluded.name'),
          icon_url: excluded.ref('excluded.icon_url'),
          is_owner: excluded.ref('excluded.is_owner'),
          members: excluded.ref('excluded.members'),
          online: excluded.ref('excluded.online'),
          expires_at: excluded.ref('excluded.expires_at'),
        })),
      )
      .execute();
  });
}

/** A proof that expires later than a new one would is from before the clock was set back, so its age is unknown. */
function valid(sql: Sql, userId: string, now: number) {
  return sql
    .selectFrom('proven_guilds')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', now + guildProofTtlMs + minute);
}

function guildOfRow(row: Row<'proven_guilds'>): ProvenGuild {
  const { guild_id: id, name, icon_url: iconUrl, members, online } = row;
  return { id, name, iconUrl, isOwner: row.is_owner === 1, members, online };
}
