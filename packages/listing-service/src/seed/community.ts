import type { Category } from '../listing/category.ts';
import type { BotListing, ServerListing } from '../listing/listing.ts';
import type { ServiceMember } from '../storage/members/members.ts';

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

export const seededCategories = {
  server: ['Gaming', 'Community'],
  bot: ['Economy', 'Utility'],
} as const satisfies Record<string, readonly Category[]>;

/** The code of the seeded server's invite. It is longer than any at Discord, so it leads to nobody's server there. */
export const seededInviteCode = 'lantern-harbour-exists-in-the-sandbox-only';

/**
 * Members of the seeded community. Some names need escaping in HTML or Discord markdown. The first member has never
 * voted.
 */
export const seededMembers: readonly ServiceMember[] = [
  { userId: '318044130796109825', username: 'mira' },
  { userId: '222079895583457280', username: 'tobias_k' },
  { userId: '271234567890123776', username: 'Ayşe' },
  { userId: '289345678901234688', username: 'old_salt' },
  { userId: '301456789012345856', username: 'juniper' },
  { userId: '315567890123456512', username: 'Noor ✦' },
  { userId: '329678901234567168', username: 'deckhand.ben' },
  { userId: '343789012345677824', username: '雪' },
  { userId: '357890123456788480', username: 'pelle' },
  { userId: '371901234567899136', username: 'marguerite' },
  { userId: '386012345679009792', username: '*starry*' },
  { userId: '400123456790120448', username: 'Kwame' },
  { userId: '414234567901231104', username: 'ines_' },
  { userId: '428345679012341760', username: 'vale' },
  { userId: '442456790123452416', username: '<lighthouse>' },
  { userId: '456567901234563072', username: 'Oskar' },
  { userId: '470679012345673728', username: 'bramble' },
  { userId: '484790123456784384', username: 'thea' },
  { userId: '498901234567895040', username: 'Zoë' },
  { userId: '513012345679005696', username: 'captain_nobody' },
  { userId: '527123456790116352', username: 'lumen' },
  { userId: '541234567901227008', username: 'Ravi' },
  { userId: '555345679012337664', username: 'saltandpepper' },
  { userId: '569456790123448320', username: 'fern' },
  { userId: '583567901234558976', username: 'Emeka' },
  { userId: '597679012345669632', username: 'moss' },
  { userId: '611790123456780288', username: 'hanna' },
  { userId: '625901234567890944', username: 'quill' },
  { userId: '640012345679001600', username: 'Sólveig' },
  { userId: '654123456790112256', username: 'driftwood' },
  { userId: '668234567901222912', username: 'tamsin' },
  { userId: '682345679012333568', username: 'Ilya' },
];

/** The reviews of the seeded server by the seeded members, oldest first. */
export const seededReviews: readonly (readonly [rating: number, comment: string])[] = [
  [5, 'Came for the survival map, stayed for the kitchen channel. Best soup recipes on the internet.'],
  [4, 'Friendly crowd. Time zones make build night hard for me, otherwise five stars.'],
  [5, 'First server where I dared to use voice chat. Thank you all.'],
  [3, 'Nice people, but the bots talk more than the members in some channels.'],
  [5, 'Moderators who answer within minutes and never shout.'],
  [2, 'My build was griefed and it took two days to restore it.'],
  [5, 'The book club alone is worth it.'],
  [4, 'Good events. I would like a quieter welcome channel.'],
  [5, 'Vote rewards actually arrive here. Elsewhere they never did.'],
  [1, 'Was kicked for inactivity after one month. Rejoined, still bitter.'],
  [5, 'Yıllardır aradığım topluluk. Herkes çok kibar.'],
  [4, 'Solid economy, no pay to win, and the ledger adds up.'],
  [5, '雰囲気がとても良いです。初心者にも優しい。'],
  [3, 'Average. Some channels are asleep most of the week.'],
  [5, 'They built a lighthouse for my birthday. I have no further questions.'],
  [4, 'Lots of emoji, some of them even **useful**. See #harbour-seal.'],
  [5, 'Calm, clean and no drama.'],
  [2, 'The rules are fine but @everyone was used three times last week.'],
  [5, 'My kids are allowed here, and that is the highest praise I have.'],
  [4, 'Map resets once a season, which I have grown to like.'],
  [5, 'Sunday reading list changed my year.'],
  [3, "It's fine. Two stars for the map & one for the tea <3"],
  [5, 'I moderate three other servers and copy everything from this one.'],
  [4, 'Good balance between chat and projects.'],
  [5, 'Responsive crew, thoughtful rules.'],
  [1, 'Not for me: I wanted PvP.'],
  [5, 'The shared storage bot is magic.'],
  [4, 'Great for evenings. A bit crowded on Saturdays.'],
  [5, 'Here since the first lantern. Would anchor again.'],
  [4, 'Welcoming from the first minute. The onboarding could be shorter.'],
  [5, 'Five stars, five lanterns, five cups of tea.'],
];
