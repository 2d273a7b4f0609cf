import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { ChannelType, PermissionFlagsBits, RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { hasCode } from './discord-errors.ts';
import { type GuildPermissionContext, mayManage, permissionsIn } from './permissions.ts';
import { type DiscordRest, orElse } from './rest.ts';

/** The application and bot user of a token. */
export interface BotIdentity {
  readonly applicationId: string;
  readonly userId: string;
  readonly name: string;
}

/** The application of the token. Throws what {@link DiscordRest} throws, and ZodError for another response. */
export async function fetchApplication(rest: DiscordRest): Promise<Application> {
  return application.parse(await rest.get(Routes.currentApplication()));
}

/** The id of the token's application. Throws what {@link fetchApplication} throws. */
export async function fetchApplicationId(rest: DiscordRest): Promise<string> {
  return (await fetchApplication(rest)).id;
}

/** {@link fetchApplicationId}, requested once; again after an error. */
export function memoizedApplicationId(rest: DiscordRest): () => Promise<string> {
  let known: Promise<string> | undefined;
  return () => {
    known ??= fetchApplicationId(rest).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** The number of shards that Discord recommends. Throws what {@link fetchApplicationId} throws. */
export async function fetchShardCount(rest: DiscordRest): Promise<number> {
  return gateway.parse(await rest.get(Routes.gatewayBot())).shards;
}

/** The bot's number of guilds, as Discord counts it, and the ids of its application and user. Throws what {@link fetchApplicationId} throws. */
export async function fetchServerCount(
  rest: DiscordRest,
): Promise<{ readonly servers: number; readonly ids: readonly string[] }> {
  const { id, bot, approximate_guild_count: count } = await fetchApplication(rest);
  return { servers: count ?? (await listGuilds(rest)).size, ids: bot == null ? [id] : [id, bot.id] };
}

/** Throws what {@link fetchApplicationId} throws. */
export async function fetchBotIdentity(rest: DiscordRest): Promise<BotIdentity> {
  const { id: applicationId, name } = await fetchApplication(rest);
  return { applicationId, userId: (await fetchUser(rest)).id, name };
}

type Reads = Pick<DiscordRest, 'get'>;

/** A user of Discord, in any guild or none; the bot by default. Throws what {@link fetchApplicationId} throws. */
export async function fetchUser(rest: Reads, userId?: string): Promise<User> {
  return user.parse(await rest.get(Routes.user(userId)));
}

/** A guild of the bot. Throws what {@link fetchApplicationId} throws. */
export async function fetchGuild(rest: Reads, guildId: string): Promise<Guild> {
  return guild.parse(await rest.get(Routes.guild(guildId)));
}

/** A member of a guild of the bot. Throws what {@link fetchApplicationId} throws. */
export async function fetchMember(rest: Reads, guildId: string, userId: string): Promise<Member> {
  return member.parse(await rest.get(Routes.guildMember(guildId, userId)));
}

/** Members whose name begins with a text, at most ten. Throws what {@link fetchApplicationId} throws. */
export async function searchMembers(rest: Reads, guildId: string, text: string): Promise<readonly Member[]> {
  const query = new URLSearchParams({ query: text, limit: '10' });
  return z.array(member).parse(await rest.get(Routes.guildMembersSearch(guildId), query));
}

/** A guild of the bot, and a member of it. Throws what {@link fetchApplicationId} throws. */
export async function fetchMembership(
  rest: Reads,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
): Promise<{ readonly guild: Guild; readonly member: Member }> {
  return { guild: await fetchGuild(rest, guildId), member: await fetchMember(rest, guildId, userId) };
}

const { UnknownGuild, MissingAccess, UnknownMember, UnknownUser } = RESTJSONErrorCodes;

/** Null if Discord has no such guild, member or user, or the bot is not in the guild. */
export async function unlessAbsent<Value>(read: Promise<Value>): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, UnknownGuild, MissingAccess, UnknownMember, UnknownUser)) return null;
    throw error;
  }
}

/** True if an error says that a user is not in a guild of the bot. */
export function isNoMember(error: unknown): boolean {
  return hasCode(error, UnknownMember, UnknownUser);
}

/** The name of a guild; null if the bot is not a member. Throws what {@link fetchApplicationId} throws. */
export async function fetchGuildName(rest: DiscordRest, guildId: string): Promise<string | null> {
  return (await unlessAbsent(fetchGuild(rest, guildId)))?.name ?? null;
}

/**
 * True if a member has the permission Manage Server in a guild of the bot, at `now` (ms since the epoch). Throws what
 * {@link fetchApplicationId} throws, except if one of them is not a member.
 */
export async function mayManageGuild(
  rest: DiscordRest,
  { now, ...ids }: { readonly guildId: string; readonly userId: string; readonly now: number },
): Promise<boolean> {
  const membership = await unlessAbsent(fetchMembership(rest, ids));
  return membership !== null && mayManage(permissionContextOf(membership, now));
}

/** Everything that determines a member's permissions in the guild. @param now ms since the epoch */
export function permissionContextOf(
  { guild, member }: { readonly guild: Guild; readonly member: Member },
  now: number,
): GuildPermissionContext {
  return { guild, member: { ...member, isTimedOut: member.timedOutUntil > now } };
}

/** The bot's access to a channel: it does not exist, the bot cannot see it, it has no messages, or it is seen. */
export type ChannelAccess =
  | { readonly state: 'missing' | 'hidden' }
  | { readonly state: 'unfit'; readonly name: string }
  | {
      readonly state: 'seen';
      readonly name: string;
      readonly guild: string;
      /** Missing permissions for announcements, by Discord's names. */
      readonly missingPermissions: readonly string[];
      readonly mayReadHistory: boolean;
    };

/**
 * Reads the bot's access to a channel. `now` (ms since the epoch) decides whether the bot is timed out. Throws what
 * {@link fetchApplicationId} throws, except if the channel does not exist or the bot cannot see it.
 */
export async function inspectChannel(
  rest: DiscordRest,
  { channelId, userId, now }: { channelId: string; userId: string; now: number },
): Promise<ChannelAccess> {
  try {
    const targetChannel = channel.parse(await rest.get(Routes.channel(channelId)));
    const { name, guild_id: guildId } = targetChannel;
    if (guildId === null || typesWithoutMessages.includes(targetChannel.type)) return { state: 'unfit', name };
    const isThread = threadTypes.includes(targetChannel.type);
    // A thread has no overwrites of its own; its parent's apply. Discord: "Permissions", "Inherited Permissions
    // (Threads)".
    const overwriteSource = isThread
      ? channel.parse(await rest.get(Routes.channel(targetChannel.parent_id ?? '')))
      : targetChannel;
    const membership = await fetchMembership(rest, { guildId, userId });
    const permissions = permissionsIn({
      ...permissionContextOf(membership, now),
      overwrites: overwriteSource.permission_overwrites,
    });
    const required = isThread ? requiredInThreads : requiredInChannels;
    const missingPermissions = required.filter(([, bit]) => (permissions & bit) === 0n).map(([name]) => name);
    const mayReadHistory = (permissions & PermissionFlagsBits.ReadMessageHistory) !== 0n;
    return { state: 'seen', name, guild: membership.guild.name, missingPermissions, mayReadHistory };
  } catch (error) {
    if (hasCode(error, RESTJSONErrorCodes.UnknownChannel)) return { state: 'missing' };
    if (hasCode(error, RESTJSONErrorCodes.MissingAccess)) return { state: 'hidden' };
    throw error;
  }
}

const { ViewChannel, SendMessages, SendMessagesInThreads, EmbedLinks } = PermissionFlagsBits;
const requiredInChannels = [
  ['View Channel', ViewChannel],
  ['Send Messages', SendMessages],
  ['Embed Links', EmbedLinks],
] as const;
const requiredInThreads = [
  ['View Channel', ViewChannel],
  ['Send Messages in Threads', SendMessagesInThreads],
  ['Embed Links', EmbedLinks],
] as const;

const threadTypes: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const typesWithoutMessages: readonly number[] = [
  ChannelType.GuildCategory,
  ChannelType.GuildDirectory,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

const gateway = z.object({ shards: z.int().min(1) });
/** What is read of it; Discord: "Application Object". */
const application = z.object({
  id: z.string(),
  name: z.string(),
  bot: z.object({ id: z.string() }).nullish(),
  approximate_guild_count: z.int().nonnegative().nullish(),
  /** Null if interactions are sent through the gateway. */
  interactions_endpoint_url: orElse(z.string(), null),
  verify_key: orElse(z.string().toLowerCase(), ''),
  role_connections_verification_url: orElse(z.string(), null),
  integration_types_config: orElse(z.record(z.string(), z.unknown()), {} as Record<string, unknown>),
});
export type Application = z.output<typeof application>;
const channel = z.object({
  type: z.number(),
  name: orElse(z.string(), ''),
  guild_id: orElse(z.string(), null),
  parent_id: z.string().nullish(),
  permission_overwrites: z
    .array(z.object({ id: z.string(), type: z.coerce.number(), allow: z.string(), deny: z.string() }))
    .default([]),
});
/** The hash of a picture, which becomes a part of an address; null for anything else. */
const hash = z
  .string()
  .regex(/^\w{1,64}$/)
  .nullish()
  .catch(null)
  .transform((given) => given || null);
const guild = z
  .object({
    id: z.string(),
    /** External text. */
    name: orElse(z.string(), ''),
    // Programs that play Discord may leave these out; then nobody is a manager.
    owner_id: orElse(z.string(), ''),
    preferred_locale: orElse(z.string(), null),
    icon: hash,
    roles: orElse(
      z.array(
        z.object({
          id: z.string(),
          name: orElse(z.string(), ''),
          permissions: orElse(z.string().regex(/^\d{1,30}$/), '0'),
          position: orElse(z.number(), 0),
          managed: z.boolean().default(false),
        }),
      ),
      [],
    ),
  })
  .transform(({ owner_id: ownerId, preferred_locale: locale, ...fields }) => ({ ...fields, ownerId, locale }));
export type Guild = z.output<typeof guild>;

const user = z
  .object({ id: z.string(), username: orElse(z.string(), ''), global_name: z.string().nullish(), avatar: hash })
  .transform(({ id, username, global_name: shown, avatar }) => ({ id, name: shown || username, avatar }));
/** The name is external text. */
export type User = z.output<typeof user>;

const member = z
  .object({
    user,
    nick: orElse(z.string(), null),
    avatar: hash,
    roles: z.array(z.string()),
    communication_disabled_until: orElse(z.string(), ''),
  })
  .transform(({ user, nick, avatar, roles, communication_disabled_until: timedOut }) => ({
    id: user.id,
    /** In the guild. */
    name: nick ?? user.name,
    nick,
    /** The hash of the picture, in the guild or else everywhere; null without one. */
    avatar: avatarOf(avatar, user.avatar),
    roles,
    /** Ms since the epoch; NaN if the member never was. */
    timedOutUntil: Date.parse(timedOut),
  }));
/** The names are external text. */
export type Member = z.output<typeof member>;

function avatarOf(ofGuild: string | null, ofUser: string | null) {
  const shown = ofGuild ?? ofUser;
  return shown === null ? null : { hash: shown, isOfGuild: ofGuild !== null };
}

const timeoutMs = 2 * second;

const channels = z.array(z.object({ id: z.string() }));

const namedChannels = z.array(z.object({ id: z.string(), name: z.string(), type: z.number(), position: z.number() }));

/**
 * The channels of a guild in which announcements can be posted, in the order of Discord. Names are external text.
 * Throws what {@link DiscordRest} throws, and ZodError.
 */
export async function fetchTextChannels(
  rest: DiscordRest,
  guildId: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const all = namedChannels.parse(await rest.get(Routes.guildChannels(guildId)));
  return all
    .filter(({ type }) => type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement)
    .toSorted((a, b) => a.position - b.position);
}

/** The ids of the channels of a guild, without threads; null if Discord does not say in time. */
export function createGuildChannels(options: {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  readonly log: Log;
}): (guildId: string) => Promise<ReadonlySet<string> | null> {
  const { rest, clock, log } = options;
  async function list(guildId: string): Promise<ReadonlySet<string> | null> {
    try {
      return new Set(channels.parse(await rest.get(Routes.guildChannels(guildId))).map(({ id }) => id));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the channels of a server could not be read');
      return null;
    }
  }
  return async (guildId) => (await settleWithin(timeoutMs, clock, list(guildId))) ?? null;
}

/** Discord: "Get Current User Guilds". */
const guildsPerPage = 200;

const page = z.array(z.object({ id: z.string(), name: z.string() }));

/** A guild of the bot. The name is external text. */
export type NamedGuild = z.infer<typeof page>[number];

/** The ids of all guilds that the bot is in. Throws what {@link fetchGuilds} throws. */
export async function listGuilds(rest: DiscordRest): Promise<ReadonlySet<string>> {
  return new Set((await fetchGuilds(rest)).map(({ id }) => id));
}

/** All guilds that the bot is in, page by page. Throws what {@link DiscordRest} throws, and ZodError. */
export async function fetchGuilds(rest: DiscordRest): Promise<readonly NamedGuild[]> {
  const all: NamedGuild[] = [];
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const query = new URLSearchParams({ limit: String(guildsPerPage), after });
    const guilds: z.infer<typeof page> = page.parse(await rest.get(Routes.userGuilds(), query));
    all.push(...guilds);
    after = guilds.length < guildsPerPage ? undefined : guilds.at(-1)?.id;
  }
  return all;
}
