import type { ServiceMember } from '../storage/members/members.ts';

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
