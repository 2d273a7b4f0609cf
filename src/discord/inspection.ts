import { ChannelType, PermissionFlagsBits, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { describeDiscordError } from './discord-errors.ts';
import { permissionsIn } from './permissions.ts';
import type { DiscordRest } from './rest.ts';

/** Whom a token stands for. */
export interface BotIdentity {
  readonly applicationId: string;
  /** The bot as a user. */
  readonly userId: string;
  readonly name: string;
}

/** Throws what {@link DiscordRest} throws, and ZodError for an answer of another shape. */
export async function fetchBotIdentity(rest: DiscordRest): Promise<BotIdentity> {
  const application = named.parse(await rest.get(Routes.currentApplication()));
  const { id: userId } = z.object({ id: z.string() }).parse(await rest.get(Routes.user()));
  return { applicationId: application.id, userId, name: application.name };
}

/** The name of a guild; null where the bot is not in it. Throws what {@link fetchBotIdentity} throws. */
export async function fetchGuildName(rest: DiscordRest, guildId: string): Promise<string | null> {
  try {
    return named.parse(await rest.get(Routes.guild(guildId))).name;
  } catch (error) {
    if (isRefusedWith(error, RESTJSONErrorCodes.UnknownGuild, RESTJSONErrorCodes.MissingAccess)) return null;
    throw error;
  }
}

/** What the bot finds of a channel that it shall announce in. `unfit`: a kind of channel that takes no messages. */
export type ChannelAccess =
  | { readonly state: 'missing' | 'hidden' }
  | { readonly state: 'unfit'; readonly name: string }
  | {
      readonly state: 'seen';
      readonly name: string;
      readonly guild: string;
      /** Permissions that announcements need and the bot does not have there, in Discord's words. */
      readonly lacks: readonly string[];
      readonly mayReadHistory: boolean;
    };

/**
 * As of `now` (ms since the epoch), for a timeout of the bot ends by itself. Throws what {@link fetchBotIdentity} throws, when
 * it is neither that the channel is not there nor that the bot may not see it.
 */
export async function inspectChannel(
  rest: DiscordRest,
  { channelId, userId, now }: { channelId: string; userId: string; now: number },
): Promise<ChannelAccess> {
  try {
    const found = channel.parse(await rest.get(Routes.channel(channelId)));
    const { name, guild_id: guildId } = found;
    if (guildId === null || takesNoMessages.includes(found.type)) return { state: 'unfit', name };
    const isThread = threads.includes(found.type);
    // A thread has no overwrites: those of its parent hold. Discord: "Permissions", "Inherited Permissions (Threads)".
    const holder = isThread ? channel.parse(await rest.get(Routes.channel(found.parent_id ?? ''))) : found;
    const around = guild.parse(await rest.get(Routes.guild(guildId)));
    const member = guildMember.parse(await rest.get(Routes.guildMember(guildId, userId)));
    const permissions = permissionsIn({
      guild: { id: guildId, ownerId: around.owner_id, roles: around.roles },
      member: { id: userId, roles: member.roles, isTimedOut: Date.parse(member.communication_disabled_until) > now },
      overwrites: holder.permission_overwrites,
    });
    const needed = isThread ? neededInThreads : neededInChannels;
    const lacks = needed.filter(([, bit]) => (permissions & bit) === 0n).map(([words]) => words);
    const mayReadHistory = (permissions & PermissionFlagsBits.ReadMessageHistory) !== 0n;
    return { state: 'seen', name, guild: around.name, lacks, mayReadHistory };
  } catch (error) {
    if (isRefusedWith(error, RESTJSONErrorCodes.UnknownChannel)) return { state: 'missing' };
    if (isRefusedWith(error, RESTJSONErrorCodes.MissingAccess)) return { state: 'hidden' };
    throw error;
  }
}

const { ViewChannel, SendMessages, SendMessagesInThreads, EmbedLinks } = PermissionFlagsBits;
const neededInChannels = [
  ['View Channel', ViewChannel],
  ['Send Messages', SendMessages],
  ['Embed Links', EmbedLinks],
] as const;
const neededInThreads = [
  ['View Channel', ViewChannel],
  ['Send Messages in Threads', SendMessagesInThreads],
  ['Embed Links', EmbedLinks],
] as const;

const threads: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const takesNoMessages: readonly number[] = [
  ChannelType.GuildCategory,
  ChannelType.GuildDirectory,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

const named = z.object({ id: z.string(), name: z.string() });
const channel = z.object({
  type: z.number(),
  name: z
    .string()
    .nullish()
    .transform((name) => name ?? ''),
  guild_id: z
    .string()
    .nullish()
    .transform((id) => id ?? null),
  parent_id: z.string().nullish(),
  permission_overwrites: z
    .array(z.object({ id: z.string(), type: z.coerce.number(), allow: z.string(), deny: z.string() }))
    .default([]),
});
const guild = z.object({
  name: z.string(),
  owner_id: z.string(),
  roles: z.array(z.object({ id: z.string(), permissions: z.string() })),
});
const guildMember = z.object({
  roles: z.array(z.string()),
  communication_disabled_until: z
    .string()
    .nullish()
    .transform((until) => until ?? ''),
});

function isRefusedWith(error: unknown, ...codes: readonly number[]): boolean {
  const trouble = describeDiscordError(error);
  return trouble.kind === 'refused' && codes.includes(trouble.code);
}
