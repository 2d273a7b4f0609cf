import type { NormalizedComponent, NormalizedEmbed } from './normalized-components.ts';

/** Discord's API objects, limited to the fields that this server supports. Names follow Discord's documentation. */

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

export interface Member {
  readonly user: User;
  readonly nick: string | null;
  readonly avatar: string | null;
  readonly banner: string | null;
  readonly roles: readonly string[];
  readonly joined_at: string;
  readonly premium_since: string | null;
  readonly deaf: boolean;
  readonly mute: boolean;
  readonly flags: number;
  readonly pending: boolean;
  readonly communication_disabled_until: string | null;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  readonly colors: { primary_color: number; secondary_color: null; tertiary_color: null };
  readonly hoist: boolean;
  readonly icon: null;
  readonly unicode_emoji: null;
  readonly position: number;
  /** A decimal bit set. */
  readonly permissions: string;
  readonly managed: boolean;
  readonly mentionable: boolean;
  readonly flags: number;
  /** The bot that a managed role belongs to. */
  readonly tags?: { readonly bot_id: string };
}

export interface Overwrite {
  readonly id: string;
  /** 0 role, 1 member. */
  readonly type: 0 | 1;
  readonly allow: string;
  readonly deny: string;
}

export interface GuildChannel {
  readonly id: string;
  readonly type: 0;
  readonly guild_id: string;
  readonly name: string;
  readonly topic: string | null;
  readonly position: number;
  readonly permission_overwrites: readonly Overwrite[];
  readonly parent_id: null;
  readonly nsfw: boolean;
  readonly rate_limit_per_user: number;
  readonly last_message_id: string | null;
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

export type Channel = GuildChannel | DirectChannel | GroupChannel;

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
  /** Whether only one member sees the message, so that the file is deleted later. */
  readonly ephemeral?: boolean;
}

export interface InteractionMetadata {
  readonly id: string;
  readonly type: number;
  readonly user?: User;
  readonly authorizing_integration_owners: Readonly<Record<string, string>>;
  readonly original_response_message_id?: string;
  /** The message of the used component. */
  readonly interacted_message_id?: string;
  /** The interaction that opened the modal. */
  readonly triggering_interaction_metadata?: InteractionMetadata;
}

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
  readonly application_id?: string;
  readonly webhook_id?: string;
  readonly interaction_metadata?: InteractionMetadata;
  /** Deprecated by Discord, but the only field with the name of the command. */
  readonly interaction?: { readonly id: string; readonly type: number; readonly name: string; readonly user: User };
}
