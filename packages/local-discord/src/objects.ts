import type { ActionRow, Button, Select } from './component-schema.ts';
import type { Embed } from './message-schema.ts';

/** Discord's API objects, limited to the fields that this server supports. Names follow Discord's documentation. */

/** A user, who may be in no guild. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly discriminator: string;
  readonly global_name: string | null;
  readonly avatar: string | null;
  readonly bot: boolean;
  readonly public_flags: number;
  readonly flags: number;
  readonly primary_guild: null;
}

/** A person or a bot. */
export const newUser = (id: string, username: string, displayName?: string, bot = false): User => ({
  id,
  username,
  discriminator: bot ? '0001' : '0',
  global_name: displayName ?? null,
  avatar: null,
  bot,
  public_flags: 0,
  flags: 0,
  primary_guild: null,
});

export type Member = ReturnType<typeof newMember>;

/** A member who has just joined, or with these roles. */
export const newMember = (user: User, joinedAt: string, roles: readonly string[] = []) => ({
  user,
  nick: null as string | null,
  avatar: null as string | null,
  banner: null as string | null,
  roles,
  joined_at: joinedAt,
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
  pending: false,
  communication_disabled_until: null,
});

export type Role = ReturnType<typeof newRole>;

/**
 * @param permissionBits which become a decimal bit set
 * @param ownerId the bot that a managed role belongs to
 */
export const newRole = (
  id: string,
  name: string,
  position: number,
  color: number,
  permissionBits = 0n,
  ownerId?: string,
) => ({
  id,
  name,
  color,
  colors: { primary_color: color, secondary_color: null, tertiary_color: null },
  hoist: position > 0,
  icon: null,
  unicode_emoji: null,
  position,
  permissions: String(permissionBits),
  managed: ownerId !== undefined,
  mentionable: false,
  flags: 0,
  ...(ownerId === undefined ? {} : { tags: { bot_id: ownerId } }),
});

export interface Overwrite {
  readonly id: string;
  /** 0 role, 1 member. */
  readonly type: 0 | 1;
  readonly allow: string;
  readonly deny: string;
}

export type GuildChannel = ReturnType<typeof newChannel>;

export const newChannel = (id: string, guildId: string, name: string, topic: string, position: number) => ({
  id,
  type: 0 as const,
  guild_id: guildId,
  name,
  topic,
  position,
  permission_overwrites: [] as readonly Overwrite[],
  parent_id: null,
  nsfw: false,
  rate_limit_per_user: 0,
  last_message_id: null as string | null,
  flags: 0,
});

export const threadType = { public: 11, private: 12 } as const;

/** A thread; it has the id of the message that it was started from. Its members are stored separately. */
export interface Thread {
  readonly id: string;
  readonly type: (typeof threadType)[keyof typeof threadType];
  readonly guild_id: string;
  /** The channel that it is in. */
  readonly parent_id: string;
  /** Who has started it. */
  readonly owner_id: string;
  readonly name: string;
  readonly thread_metadata: {
    readonly archived: boolean;
    /** When it was archived, unarchived or started. ISO 8601. */
    readonly archive_timestamp: string;
    /** Minutes. */
    readonly auto_archive_duration: 60 | 1440 | 4320 | 10_080;
    readonly locked: boolean;
    readonly create_timestamp: string;
    /** True if members of a private thread without MANAGE_THREADS may add others. */
    readonly invitable?: boolean;
  };
  readonly rate_limit_per_user: number;
  readonly last_message_id: string | null;
  /** The number of messages without deleted ones. */
  readonly message_count: number;
  readonly total_message_sent: number;
  readonly member_count: number;
  readonly flags: number;
}

/** A member of a thread, whose id is `id`. */
export interface ThreadMember {
  readonly id: string;
  readonly user_id: string;
  readonly join_timestamp: string;
  readonly flags: number;
}

export interface DirectChannel {
  readonly id: string;
  readonly type: 1;
  readonly recipients: readonly User[];
  readonly last_message_id: string | null;
  readonly flags: number;
}

/** A conversation of several people, in which no bot can be. */
export interface GroupChannel {
  readonly id: string;
  readonly type: 3;
  readonly name: string;
  readonly recipients: readonly User[];
  readonly owner_id: string;
  readonly icon: null;
  readonly last_message_id: string | null;
  readonly flags: number;
}

/** A channel or a thread of a guild. */
export type GuildPlace = GuildChannel | Thread;

export type Channel = GuildPlace | DirectChannel | GroupChannel;

export function isInGuild(channel: Channel): channel is GuildPlace {
  return 'guild_id' in channel;
}

export function isThread(channel: Channel | undefined): channel is Thread {
  return channel?.type === threadType.public || channel?.type === threadType.private;
}

/** A file of a message. */
export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly description?: string;
  readonly content_type: string;
  /** Bytes. */
  readonly size: number;
  readonly url: string;
  readonly proxy_url: string;
  /** Pixels; only of images. */
  readonly width?: number;
  readonly height?: number;
  /** True if only one member sees the message, so that the file is deleted later. */
  readonly ephemeral?: boolean;
}

/** The interaction that a message responds to. `type` is 2 for a command, 3 for a component, 5 for a modal. */
export interface InteractionMetadata {
  readonly id: string;
  readonly type: number;
  readonly user?: User;
  readonly authorizing_integration_owners: Readonly<Record<string, string>>;
  /** In whose menu the command was used. */
  readonly target_user?: User;
  readonly original_response_message_id?: string;
  /** The message of the used component. */
  readonly interacted_message_id?: string;
  /** The interaction that opened the modal. */
  readonly triggering_interaction_metadata?: InteractionMetadata;
}

/** A message as Discord returns it to the bot. */
export interface Message {
  readonly id: string;
  readonly channel_id: string;
  readonly author: User;
  readonly content: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly edited_timestamp: string | null;
  readonly tts: boolean;
  readonly mention_everyone: boolean;
  /** The users that the text pings, after `allowed_mentions`. */
  readonly mentions: readonly User[];
  readonly mention_roles: readonly string[];
  readonly attachments: readonly Attachment[];
  readonly embeds: readonly NormalizedEmbed[];
  readonly components: readonly NormalizedComponent[];
  readonly pinned: boolean;
  readonly type: number;
  readonly flags: number;
  readonly nonce?: string | number;
  /** The place of a message among the messages of a thread. */
  readonly position?: number;
  /** The thread that was started from it; only in what the bot reads. */
  readonly thread?: Thread & { readonly member?: ThreadMember };
  /** The thread that a message of type 18 announces. */
  readonly message_reference?: { readonly type: 0; readonly channel_id: string; readonly guild_id: string };
  readonly application_id?: string;
  readonly webhook_id?: string;
  readonly interaction_metadata?: InteractionMetadata;
  /** Deprecated by Discord, but the only field with the name of the command. */
  readonly interaction?: { readonly id: string; readonly type: number; readonly name: string; readonly user: User };
}

/** A picture or a file of a component. Discord: "Unfurled Media Item". */
export interface Media {
  readonly id: string;
  readonly url: string;
  readonly proxy_url: string;
  readonly content_type?: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly attachment_id?: string;
}

/** A component with its id, which is unique in its message. */
export type Identified<Part> = Part & { readonly id: number };

/** A button or a select of a message. */
export type NormalizedControl = Identified<Normalized<Button | Select>>;
/** A row of buttons, or of one select, of a message. */
export type NormalizedRow = Identified<Omit<ActionRow, 'components' | 'id'>> & {
  readonly components: readonly NormalizedControl[];
};
/** A text of a message: Markdown. */
export type NormalizedText = Identified<{ readonly type: 10; readonly content: string }>;
/** A picture with its description. */
export interface Shown {
  readonly media: Media;
  readonly description: string | null;
  readonly spoiler: boolean;
}
/** A small picture beside texts. */
export type NormalizedThumbnail = Identified<Shown & { readonly type: 11 }>;
/** Texts with a button or a picture beside them. */
export type NormalizedSection = Identified<{
  readonly type: 9;
  readonly components: readonly NormalizedText[];
  readonly accessory: NormalizedControl | NormalizedThumbnail;
}>;
/** A gallery of pictures. */
export type NormalizedGallery = Identified<{ readonly type: 12; readonly items: readonly Shown[] }>;
/** A file that is shown in the components of a message. */
export type NormalizedFile = Identified<{
  readonly type: 13;
  readonly file: Media;
  readonly name: string | null;
  /** Bytes. */
  readonly size: number | null;
  readonly spoiler: boolean;
}>;
/** Space between components, with or without a line. `spacing` 2 is the larger one. */
export type NormalizedSeparator = Identified<{
  readonly type: 14;
  readonly divider: boolean;
  readonly spacing: 1 | 2;
}>;
/** A component that a container may contain. */
export type Inner =
  | NormalizedRow
  | NormalizedSection
  | NormalizedText
  | NormalizedGallery
  | NormalizedFile
  | NormalizedSeparator;
/** A box of components. `accent_color` is RGB, as in 0xff0000. */
export type NormalizedContainer = Identified<{
  readonly type: 17;
  readonly components: readonly Inner[];
  readonly accent_color: number | null;
  readonly spoiler: boolean;
}>;

/** A component as Discord stores it: without empty fields, with defaults, ids and media. */
export type NormalizedComponent = Inner | NormalizedContainer;

/** The buttons and selects of a message, wherever they are. */
export function controlsOf(components: readonly NormalizedComponent[]): NormalizedControl[] {
  return components.flatMap((part) => {
    if (part.type === 1) return part.components;
    if (part.type === 9) return part.accessory.type === 11 ? [] : [part.accessory];
    return part.type === 17 ? controlsOf(part.components) : [];
  });
}

/** The texts of a message's text displays, in order. */
export function textsOf(components: readonly NormalizedComponent[]): string[] {
  return components.flatMap((part) => {
    if (part.type === 10) return [part.content];
    return part.type === 9 || part.type === 17 ? textsOf(part.components) : [];
  });
}

/** A part of a message as it is stored: without nulls. */
export type Normalized<Part> = { readonly [Key in keyof Part]: Exclude<Part[Key], null> };

/** An embed of a message. */
export type NormalizedEmbed = Normalized<Embed> & { readonly type: 'rich' };
export function normalizeEmbeds(embeds: readonly Embed[] | null | undefined): NormalizedEmbed[] {
  return (embeds ?? []).map((embed) => {
    const fields = embed.fields?.map((field) => ({ ...field, inline: field.inline ?? false }));
    return { ...normalize({ ...embed, ...(fields && { fields }) }), type: 'rich' };
  });
}

/** Removes null fields, as Discord does for most fields. */
export function normalize<Part extends object>(part: Part): Normalized<Part> {
  const entries = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, normalizeValue(value)])) as Normalized<Part>;
}

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeValue);
  return typeof value === 'object' && value !== null ? normalize(value) : value;
}
