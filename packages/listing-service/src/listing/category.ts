/** Topics of a listing, by the names that the lookup API returns. Its owner chooses up to {@link maxCategories}. */
export const categories = [
  ...(['Gaming', 'Community', 'Music', 'Art', 'Anime', 'Roleplay', 'Technology', 'Education', 'Language'] as const),
  ...(['Sports', 'Economy', 'Moderation', 'Utility'] as const),
] as const;

export type Category = (typeof categories)[number];

export const maxCategories = 3;

/** The names that are categories; a later version may have stored others. */
export function knownCategories(names: readonly string[]): readonly Category[] {
  return categories.filter((category) => names.includes(category));
}
