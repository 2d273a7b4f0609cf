/** The value below which `share` of the samples lie (nearest rank). NaN where there are none. */
export function percentile(samples: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(samples: Iterable<number>): number {
  return percentile(samples, 0.5);
}
