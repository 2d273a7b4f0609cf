/** Keeps the items with the largest values, however many are added. */
export function createLargest<Item>(limit: number, rank: (item: Item) => number) {
  let items: Item[] = [];
  const byValue = (one: Item, other: Item) => rank(other) - rank(one);
  return {
    add(item: Item): void {
      items.push(item);
      // Sorting rarely keeps the cost per item low.
      if (items.length >= 2 * limit + 100) items = items.sort(byValue).slice(0, limit);
    },
    /** Largest first. */
    items: (): readonly Item[] => items.sort(byValue).slice(0, limit),
  };
}
