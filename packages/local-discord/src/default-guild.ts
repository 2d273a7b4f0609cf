import { defaultLocale } from './locales.ts';
import { newChannel, newMember, newRole, newUser } from './objects.ts';
import { permissions } from './permissions.ts';
import { memberPermissions } from './places-without-bot.ts';

/** A member of the guild. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly displayName?: string;
}

/** The guild that exists at the start, and who is in it. Everything has a default. */
export interface DefaultGuildOptions {
  readonly guild?: {
    readonly id: string;
    readonly name: string;
    readonly inviteCode?: string;
  };
  /** The first one owns the guild. */
  readonly people?: readonly Person[];
  /** Users of Discord who are not in the guild; the bot and its members know their names (default: none). */
  readonly strangers?: readonly Person[];
  /** Pictures of the guild, its members and the bot by id, as `data:` URLs (default: letters of the name). */
  readonly pictures?: Readonly<Record<string, string>>;
  /** The id of the application and of its bot (default: always the same). */
  readonly applicationId?: string;
  /** Names in place of the default ones. */
  readonly names?: {
    /** The bot and its own role. */
    readonly bot?: string;
    readonly channels?: Partial<
      Record<'general' | 'announcements' | 'premium', { readonly name: string; readonly topic: string }>
    >;
    readonly roles?: Partial<Record<Exclude<keyof RoleIds, 'bot'>, string>>;
  };
}

/** The initial guild. */
export type DefaultGuild = ReturnType<typeof defaultGuild>;

/** The ids of the guild's roles. `bot` is the bot's own role. */
export type RoleIds = Readonly<
  Record<'bot' | 'voter' | 'premium' | 'owner' | 'regular' | 'veteran' | 'vip' | 'moderator', string>
>;

const id = (number: number) => String(1_190_000_000_000_000_000n + BigInt(number));
const createdAt = '2024-01-01T00:00:00.000000+00:00';

export const applicationId = id(2);
const roleIds: RoleIds = {
  bot: id(21),
  voter: id(22),
  premium: id(23),
  owner: id(24),
  regular: id(25),
  veteran: id(26),
  vip: id(27),
  moderator: id(28),
};

/** The guild, unless another one is given. */
export const presetGuild = { id: id(1), name: 'Lantern Harbour', inviteCode: 'lantern-harbour' };
const presetPeople: readonly Person[] = [
  { id: id(11), username: 'mira', displayName: 'Mira' },
  { id: id(12), username: 'tomas.k', displayName: 'Tomás' },
  { id: id(13), username: 'aiko', displayName: '愛子' },
  { id: id(14), username: 'old_salt', displayName: 'Old Salt' },
];

/** The hash of every picture: pages draw letters in place of a missing one. */
const picture = '0'.repeat(32);

/** A member with this name. Each index has an id of its own. */
export function personNamed(name: string, index: number): Person {
  const username = name.toLowerCase().replace(/[^a-z0-9_.]/g, '_');
  return { id: id(1_000 + index), username, displayName: name };
}

const toUser = ({ id: userId, username, displayName }: Person) => ({
  ...newUser(userId, username, displayName),
  avatar: picture,
});

const everyonePermissions =
  memberPermissions |
  permissions('addReactions', 'changeNickname', 'createPublicThreads', 'createPrivateThreads', 'sendMessagesInThreads');

/** The constant fields of the guild; channels, members and roles are stored separately. */
const settings = {
  icon: picture,
  home_header: null,
  splash: null,
  discovery_splash: null,
  description: 'A community of the local Discord',
  banner: null,
  region: 'deprecated',
  afk_channel_id: null,
  afk_timeout: 300,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  default_message_notifications: 1,
  explicit_content_filter: 0,
  emojis: [],
  stickers: [],
  features: [],
  mfa_level: 0,
  application_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  nsfw: false,
  nsfw_level: 0,
  incidents_data: null,
  max_presences: null,
  max_members: 500_000,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
} as const;

/**
 * The initial guild of a local Discord. Its ids are the same at every start, so stored references to members and channels stay valid.
 */
export function defaultGuild(options: DefaultGuildOptions) {
  const { guild = presetGuild, people = presetPeople, strangers = [], names = {} } = options;
  const { bot: botName = 'test-bot', roles: roleNames = {}, channels = {} } = names;
  const botUser = newUser(options.applicationId ?? applicationId, botName, undefined, true);
  const bot = options.pictures?.[botUser.id] === undefined ? botUser : { ...botUser, avatar: picture };
  const [owner] = people;
  const { inviteCode = null, name } = guild;
  const role = (key: Exclude<keyof RoleIds, 'bot'>, name: string, position: number, color: number, granted?: bigint) =>
    newRole(roleIds[key], roleNames[key] ?? name, position, color, granted);
  const channel = (key: keyof typeof channels, number: number, preset: { name: string; topic: string }) => {
    const { name, topic } = channels[key] ?? preset;
    return newChannel(id(number), guild.id, name, topic, number);
  };
  return {
    bot,
    guild: {
      ...settings,
      preferred_locale: defaultLocale,
      id: guild.id,
      name,
      vanity_url_code: inviteCode,
      owner_id: owner?.id ?? bot.id,
    },
    people,
    strangers: strangers.map(toUser),
    roleIds,
    roles: [
      newRole(guild.id, '@everyone', 0, 0, everyonePermissions),
      role('voter', 'Member', 1, 0x57f287),
      role('regular', 'Regular', 2, 0x3ba55d),
      role('veteran', 'Veteran', 3, 0x1abc9c),
      role('premium', 'Premium', 4, 0xf47fff),
      role('vip', 'VIP', 5, 0xf1c40f),
      newRole(roleIds.bot, botName, 6, 0x5865f2, permissions('manageRoles', 'mentionEveryone'), bot.id),
      role('moderator', 'Moderator', 7, 0xe67e22),
      role('owner', 'Owner', 8, 0xfaa61a, permissions('administrator')),
    ],
    members: [
      newMember(bot, createdAt, [roleIds.bot]),
      ...people.map((person) => newMember(toUser(person), createdAt, person === owner ? [roleIds.owner] : [])),
    ],
    general: channel('general', 32, { name: 'general', topic: 'General chat' }),
    announcements: channel('announcements', 31, { name: 'announcements', topic: 'News of this server' }),
    premium: channel('premium', 33, { name: 'premium', topic: 'For members with Premium' }),
  };
}
