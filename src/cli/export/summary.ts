import type { NumberedEntry } from '../../core/store/snapshots/entry-pages.ts';
import { formatCount } from '../../platform/durations.ts';

/** Number of entries between two progress messages. */
const progressInterval = 100_000;

/** Counts exported entries and reports progress. */
export function createSummary(onProgress: (line: string) => void) {
  let entries = 0;
  let credits = 0;
  return {
    add(page: readonly NumberedEntry[]): void {
      const intervals = Math.floor(entries / progressInterval);
      entries += page.length;
      credits += page.reduce((sum, entry) => sum + entry.credits, 0);
      if (Math.floor(entries / progressInterval) > intervals) onProgress(`${entries} entries …`);
    },
    asText: () => `Exported ${formatCount(entries, 'entry', 'entries')}, ${formatCount(credits, 'credit')} in total.`,
    asJson: () => JSON.stringify({ entries, credits }),
  };
}
