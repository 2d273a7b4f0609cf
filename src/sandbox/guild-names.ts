import type { DefaultGuildOptions } from 'local-discord';

/** How tallyhook, its channels and its role are called in the guild of a sandbox. */
export const guildNames: NonNullable<DefaultGuildOptions['names']> = {
  bot: 'tallyhook',
  channels: {
    announcements: { name: 'votes', topic: 'Every vote as it is recorded' },
    premium: { name: 'premium', topic: 'Premium purchases and renewals' },
  },
  roles: { voter: 'Voter' },
};
