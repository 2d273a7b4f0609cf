/** How much smaller the share of the next listing is: few listings get most votes, as on any listing site. */
const exponent = 0.8;
/** Keeps the first listings from having nearly everything. */
const offset = 10;

/** Divides `total` among `count` by popularity, most popular first. The shares are integers that add up to `total`. */
export function sharesByPopularity(total: number, count: number, maximum = Number.POSITIVE_INFINITY): number[] {
  const weights = Array.from({ length: count }, (_, rank) => (rank + offset) ** -exponent);
  const shares = weights.map(() => 0);
  let remaining = total;
  let weight = weights.reduce((sum, each) => sum + each, 0);
  for (const [index, each] of weights.entries()) {
    const share = Math.min(maximum, Math.round((remaining * each) / weight));
    shares[index] = share;
    remaining -= share;
    weight -= each;
  }
  // What the most popular may not have goes to the others.
  for (let index = count - 1; index >= 0 && remaining > 0; index -= 1) {
    const more = Math.min(maximum - (shares[index] ?? 0), remaining);
    shares[index] = (shares[index] ?? 0) + more;
    remaining -= more;
  }
  return shares;
}
