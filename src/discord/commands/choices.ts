import type { CommandChoice } from './command.ts';

/** Choices of an option, fixed or while the member types. Discord: "Application Command Option Structure". */
export const maxChoices = 25;

/** How well a choice matches, the best first. */
const ranks = ['equal', 'start', 'start of a word', 'contained'] as const;
type Rank = (typeof ranks)[number];

/**
 * The choices whose name or value contains the text, in any case and with or without accents: equal ones, then those
 * that start with it, then those with a word that starts with it. At most 25; the first ones for an empty text.
 */
export function searchChoices(text: string, choices: readonly CommandChoice[]): readonly CommandChoice[] {
  const sought = fold(text);
  if (sought === '') return choices.slice(0, maxChoices);
  const found = new Map<Rank, CommandChoice[]>(ranks.map((rank) => [rank, []]));
  for (const choice of choices) {
    const rank = rankOf(choice, sought);
    if (rank !== null) found.get(rank)?.push(choice);
  }
  return ranks.flatMap((rank) => found.get(rank) ?? []).slice(0, maxChoices);
}

/** The choice with this name or value, in any case and with or without accents. */
export function findChoice(text: string, choices: readonly CommandChoice[]): CommandChoice | undefined {
  const sought = fold(text);
  return choices.find((choice) => rankOf(choice, sought) === 'equal');
}

/** Null if it does not match. */
function rankOf({ name, value }: CommandChoice, sought: string): Rank | null {
  const matches = [rankIn(fold(name), sought), ...(value === name ? [] : [rankIn(fold(value), sought)])];
  return ranks.find((rank) => matches.includes(rank)) ?? null;
}

function rankIn(text: string, sought: string): Rank | null {
  let place = text.indexOf(sought);
  if (place === -1) return null;
  if (place === 0) return text === sought ? 'equal' : 'start';
  while (place !== -1) {
    if (!isLetterOrDigit.test(text.charAt(place - 1))) return 'start of a word';
    place = text.indexOf(sought, place + 1);
  }
  return 'contained';
}

const isLetterOrDigit = /[\p{L}\p{N}]/u;
const accents = /\p{M}/gu;

function fold(text: string): string {
  return text.normalize('NFKD').replace(accents, '').toLowerCase().trim();
}
