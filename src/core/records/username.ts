import { objectOf, textOf } from '@tallyhook/platform/json';

const maxDepth = 5;
const nameFields = ['username', 'name', 'global_name', 'displayName'] as const;

/** The name beside an id in a payload, whose form depends on the site. */
export function findUsername(value: unknown, userId: string, depth = 0): string | null {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return null;
  const fields = objectOf(value);
  if (Object.values(fields).includes(userId)) {
    const name = nameFields.map((field) => textOf(fields[field])).find((each) => each.trim() !== '');
    if (name !== undefined) return name.slice(0, 100);
  }
  for (const each of Object.values(value)) {
    const found = findUsername(each, userId, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
