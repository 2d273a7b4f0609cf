/**
 * Divides a number of characters among texts: short ones stay complete, and the long ones share what is left equally.
 * @returns the most characters of any text
 */
export function fairShare(lengths: readonly number[], total: number): number {
  let remaining = Math.max(0, total);
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(remaining / (sorted.length - index));
    if (length > share) return share;
    remaining -= length;
  }
  return sorted.at(-1) ?? 0;
}
