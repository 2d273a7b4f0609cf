import { defaultLocale } from './locales.ts';
import {
  type Channel,
  type GroupChannel,
  type GuildChannel,
  isInGuild,
  newChannel,
  newMember,
  type User,
} from './objects.ts';
import { allPermissions, permissions } from './permissions.ts';

/*
 * Places in which the bot is no member: another guild, and a group of people. Everyone who is there has added the app to
 * their own account. Discord: "Installation Contexts", "Interaction Contexts".
 */

const otherGuildId = '1190000000000000101';
const joinedAt = '2024-01-01T00:00:00.000000+00:00';

/** Without USE_EXTERNAL_APPS, so Discord shows responses there only to the member. */
export const memberPermissions = permissions(
  'viewChannel',
  'sendMessages',
  'embedLinks',
  'attachFiles',
  'readMessageHistory',
  'useExternalEmojis',
  'useApplicationCommands',
);

const topic = 'A server without the bot. Everyone here has added the app to their own account.';
const otherChannel = newChannel('1190000000000000102', otherGuildId, 'elsewhere', topic, 1);

/** The ids of the channels. */
export const idsWithoutBot = { otherGuild: otherChannel.id, group: '1190000000000000103' };

/** The other guild as one of its members sees it in a list of guilds. */
export function otherGuild(userId: string, people: readonly User[]) {
  const permissions = String(otherGuildPermissions(userId, people));
  const guild = { id: otherGuildId, name: 'Elsewhere', icon: null, banner: null, features: [] };
  return { ...guild, owner: isOtherOwner(userId, people), permissions, count: people.length };
}

/** The permissions of a member in the other guild. */
export function otherGuildPermissions(userId: string, people: readonly User[]): bigint {
  return isOtherOwner(userId, people) ? allPermissions : memberPermissions;
}

/** The second person owns it. */
function isOtherOwner(userId: string, people: readonly User[]): boolean {
  return userId === people[1]?.id;
}

/** The channels of the places without the bot. */
export function channelsWithoutBot(people: readonly User[]): readonly (GuildChannel | GroupChannel)[] {
  const group: GroupChannel = {
    id: idsWithoutBot.group,
    type: 3,
    name: 'a group',
    recipients: people,
    owner_id: people[0]?.id ?? '0',
    icon: null,
    last_message_id: null,
    flags: 0,
  };
  return [otherChannel, group];
}

/** True if the bot is no member of the guild or conversation of a channel. */
export function isWithoutBot(channel: Channel): boolean {
  return channel.type === 3 || (isInGuild(channel) && channel.guild_id === otherGuildId);
}

/** Fields of an interaction that describe a place without the bot. Discord: "Interaction Structure". */
export function placeWithoutBot(channel: Channel, user: User) {
  const app_permissions = String(memberPermissions);
  if (!isInGuild(channel)) return { user, context: 2, app_permissions };
  return {
    guild_id: channel.guild_id,
    guild: { id: channel.guild_id, locale: defaultLocale, features: [] },
    guild_locale: defaultLocale,
    member: { ...newMember(user, joinedAt), permissions: app_permissions },
    context: 0,
    app_permissions,
  };
}
