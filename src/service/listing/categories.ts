/** The categories that owners choose from. Operators may use others. */
export const categories: readonly string[] = [
  'Community',
  'Gaming',
  'Anime',
  'Music',
  'Art',
  'Technology',
  'Education',
  'Language',
  'Sports',
  'Other',
];
