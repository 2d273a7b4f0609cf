/** What a listing is about: the owner chooses up to {@link maxCategories}. They are stored by these names. */
export const categories = [
  ...(['gaming', 'community', 'music', 'art', 'anime', 'roleplay', 'technology', 'education', 'language'] as const),
  ...(['sports', 'economy', 'moderation', 'utility'] as const),
] as const;

export type Category = (typeof categories)[number];

export const maxCategories = 3;

/** Those of the names that are categories; a later version may have stored others. */
export function knownCategories(names: readonly string[]): readonly Category[] {
  return categories.filter((category) => names.includes(category));
}

/** The English name, as the lookup API returns the category of a server: `Gaming`. */
export function nameCategory(category: Category): string {
  return category.charAt(0).toUpperCase() + category.slice(1);
}
