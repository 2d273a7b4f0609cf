import type { BotListing, ServerListing } from '../listing/listing.ts';
import type { ServiceMember } from '../storage/members/members.ts';

/** The owner of both seeded listings. */
export const seededOwner: ServiceMember = { userId: '204255221017214977', username: 'rowan' };

/** The seeded server, without its creation time. */
export const seededServer: Omit<ServerListing, 'createdAt'> = {
  id: '613425648685547541',
  kind: 'server',
  name: 'Lantern Harbour',
  description:
    'A calm harbour town for people who build small worlds: weekly build nights, a shared survival map, book club on Sundays and a kitchen channel that nobody leaves hungry.',
  tags: ['community', 'building', 'survival', 'books', 'friendly'],
  ownerId: seededOwner.userId,
  facts: {
    category: 'Community',
    features: ['COMMUNITY', 'NEWS', 'DISCOVERABLE', 'ANIMATED_ICON', 'WELCOME_SCREEN_ENABLED'],
    emojis: [
      { id: '613425648685547601', name: 'lantern', animated: false },
      { id: '613425648685547602', name: 'lantern_sway', animated: true },
      { id: '613425648685547603', name: 'tea', animated: false },
      { id: '613425648685547604', name: 'harbour_seal', animated: false },
    ],
    channelCount: 48,
    roleCount: 23,
    rules: [
      'Be kind; the harbour is small.',
      'No advertising in direct messages.',
      'Spoilers go behind the spoiler bars.',
      'What the crew says at night holds until the morning.',
    ],
    members: 4218,
    online: 611,
  },
};

/** The seeded bot, without its creation time. */
export const seededBot: Omit<BotListing, 'createdAt'> = {
  id: '716390085896962058',
  kind: 'bot',
  name: 'Quartermaster',
  description:
    'Keeps the stores of your community: shared inventories, polls that settle arguments, reminders that arrive, and a ledger that adds up.',
  tags: ['utility', 'economy', 'reminders'],
  ownerId: seededOwner.userId,
  facts: { servers: 1873, shards: 2 },
};
