import { type Move, stateName } from './recording.ts';

export const votes = ['server', 'bot', 'topgg', 'disurl'] as const satisfies readonly Move[];

/** What can follow when a member has voted everywhere. */
const endings: readonly (readonly Move[])[] = [
  ['reminders', 'later', 'purchase'],
  ['later', 'purchase'],
  ['purchase', 'reminders', 'later'],
  ['reminders', 'purchase', 'later'],
];

/** Orders of these votes in which every vote is given once in every state, each in a sandbox of its own. */
export function planWalks(all: readonly Move[]): Move[][] {
  const walked = new Set<string>();
  const walks: Move[][] = [];
  for (;;) {
    const walk: Move[] = [];
    let isNew = false;
    while (walk.length < all.length) {
      const rest = all.filter((vote) => !walk.includes(vote));
      const edge = (vote: Move) => `${stateName(walk)} ${vote}`;
      const next = rest.find((vote) => !walked.has(edge(vote))) ?? rest[walks.length % rest.length] ?? rest[0];
      if (next === undefined) break;
      isNew ||= !walked.has(edge(next));
      walked.add(edge(next));
      walk.push(next);
    }
    if (!isNew && walks.length > 0) return walks;
    walks.push([...walk, ...(all.length === votes.length ? (endings[walks.length] ?? []) : [])]);
  }
}
