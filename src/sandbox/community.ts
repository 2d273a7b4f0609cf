import { readFileSync } from 'node:fs';
import { day } from '@tallyhook/platform/durations';
import { botIcon } from '@tallyhook/platform/web/asset';
import { type ServiceMember, seededMembers, seededOwner } from 'listing-service';
import type { DefaultGuildOptions, LocalDiscord } from 'local-discord';

const [first, ...others] = seededMembers;
if (first === undefined) throw new Error('The sample data has no members.');

/** Owns the guild and both listings, and has never voted. */
export const sandboxOwner: ServiceMember = first;

const toPerson = ({ userId, username }: ServiceMember) => ({ id: userId, username });

/** The members of the guild: the first ones of the service's sample data. The first one owns it. */
export const guildMembers = [sandboxOwner, ...others.slice(0, 5)].map(toPerson);

/** Members of the service who are not in the guild. They can vote on the service's own pages. */
export const voters = [seededOwner, ...others.slice(5)].map(toPerson);

/** The name of a member, or the id of an unknown one. */
export function memberName(userId: string): string {
  return [...guildMembers, ...voters].find(({ id }) => id === userId)?.username ?? userId;
}

/** The Discord ID of tallyhook's application and bot. */
export const botId = '1190000000000000002';

/** The icon of the bot as a `data:` URL by its id. */
export function pictureOfBot(): Readonly<Record<string, string>> {
  return { [botId]: `data:image/svg+xml;base64,${readFileSync(botIcon(), 'base64')}` };
}

/** Where Discord's CDN would have the picture of the game key, and that picture as a `data:` URL by the id in there. */
const keyId = '1190000000000000090';
const keyPicture = `https://cdn.discordapp.com/icons/${keyId}/0.png`;

/** The picture of the item of the shop that has one. */
export function pictureOfItem(): Readonly<Record<string, string>> {
  const key =
    '<circle cx="38" cy="50" r="15"/><path d="M53 50h48M82 50v16M97 50v12" stroke-linecap="round"/><circle cx="38" cy="50" r="3"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 100"><rect width="128" height="100" fill="#2b4c7e"/><g fill="none" stroke="#ffd166" stroke-width="8">${key}</g></svg>`;
  return { [keyId]: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}

/** How tallyhook, its channels and its role are called in the guild of a sandbox. */
export const guildNames: NonNullable<DefaultGuildOptions['names']> = {
  bot: 'tallyhook',
  channels: {
    announcements: { name: 'votes', topic: 'Every vote as it is recorded' },
    premium: { name: 'premium', topic: 'Premium purchases and renewals' },
  },
  roles: { voter: 'Voter' },
};

/** Settings of a listing, as in the file of `TALLYHOOK_CONFIG`. */
export type ListingSettings = Readonly<Record<string, unknown>>;

/** Days from the start of the sandbox until the window of a multiplier, and its length. */
const windowStartDays = 7;
const windowDays = 7;

/**
 * The settings of all listings of the default community, which uses every rule. The multipliers are for members with
 * certain roles, so that the first vote earns the same on every day.
 *
 * @param now the current time (ms since the epoch)
 */
export function defaultSettings(
  { guildId, channels, roles }: Pick<LocalDiscord, 'guildId' | 'channels' | 'roles'>,
  now: number,
): ListingSettings {
  const from = new Date(now + windowStartDays * day).toISOString();
  const until = new Date(now + (windowStartDays + windowDays) * day).toISOString();
  const rewards = {
    multipliers: [
      { factor: 1.5, role: roles.vip },
      { factor: 2, days: ['saturday', 'sunday'], role: roles.regular },
      { factor: 2, from, until, role: roles.veteran },
    ],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 5, credits: 30, role: roles.regular },
      { votes: 10, credits: 100, role: roles.veteran },
      { everyVotes: 25, credits: 250 },
    ],
    milestoneRoles: 'all',
    voterRole: { role: roles.voter, for: '12h' },
    premiumRoles: { '*': roles.premium },
    allListings: 20,
    party: { goal: 5, per: 'week', credits: 25 },
    prizes: [
      {
        per: 'week',
        by: 'votes',
        places: [
          { from: 1, credits: 100 },
          { from: 2, to: 3, credits: 50 },
        ],
      },
    ],
  };
  const shop = [
    {
      ...{ id: 'vip', name: 'VIP for a week', price: 50, role: roles.vip, for: '7d', stock: 5 },
      ...{ emoji: '⚓', description: 'A seat at the captain’s table, and a name in gold.' },
    },
    {
      ...{ id: 'key', name: 'Game key', price: 40, codes: ['LANTERN-1111', 'LANTERN-2222', 'LANTERN-3333'] },
      ...{ emoji: '🗝️', description: 'One of three keys from the chest in the harbour.', picture: keyPicture },
    },
    {
      ...{ id: 'shout', name: 'Shout-out', price: 30, manual: true, needsRole: roles.voter },
      ...{ emoji: '📣', description: 'The team introduces you in #general.' },
    },
  ];
  return {
    announceChannelId: channels.announcements,
    premiumChannelId: channels.premium,
    guildId,
    timeZone: 'Europe/Berlin',
    ownerChannelId: channels.general,
    shop,
    rewards,
  };
}
