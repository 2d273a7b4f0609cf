import { seededReviews } from '../seed/reviews.ts';

/** The ids of generated members begin here. Each run uses the same members. */
const firstMemberId = 100_000_000_000_000_000n;
/** A prime, so that the ids look like those of Discord. */
const memberIdStep = 4_194_305n;

const syllables = [
  'ma',
  'ri',
  'no',
  'ka',
  'lo',
  'ter',
  'vin',
  'sa',
  'del',
  'qui',
  'bo',
  'esk',
  'ya',
  'mir',
  'ul',
  'pe',
];
const adjectives = ['Quiet', 'Golden', 'Wild', 'Frozen', 'Lucky', 'Hidden', 'Crimson', 'Gentle', 'Iron', 'Drifting'];
const places = ['Harbour', 'Forest', 'Tavern', 'Library', 'Arena', 'Garden', 'Workshop', 'Station', 'Island', 'Guild'];
const jobs = ['Keeper', 'Helper', 'Scribe', 'Ranger', 'Broker', 'Warden', 'Herald', 'Pilot', 'Clerk', 'Smith'];
export const categories = ['Community', 'Gaming', 'Anime', 'Music', 'Art', 'Technology', 'Education'];
const tags = [
  'friendly',
  'events',
  'giveaways',
  'minecraft',
  'voice',
  'memes',
  'roleplay',
  'study',
  'economy',
  'chill',
];

export function memberId(index: number): string {
  return String(firstMemberId + BigInt(index) * memberIdStep);
}

/** Names repeat, as in Discord; the number makes most of them unique. */
export function memberName(index: number): string {
  const first = pick(syllables, index);
  const second = pick(syllables, Math.floor(index / 16));
  return `${first}${second}${index % 3 === 0 ? '' : '_'}${index % 10_000}`;
}

export function listingName(kind: 'server' | 'bot', index: number): string {
  const noun = pick(kind === 'server' ? places : jobs, Math.floor(index / 10));
  return `${pick(adjectives, index)} ${noun} ${index + 1}`;
}

export function listingTags(index: number): string[] {
  return [...new Set([pick(tags, index), pick(tags, index * 3 + 1), pick(tags, index * 7 + 2)])];
}

/** A rating with its comment. */
export function reviewText(index: number): readonly [rating: number, comment: string] {
  return pick(seededReviews, index);
}

export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('There is nothing to pick from.');
  return item;
}
