import type { NumberedEntry } from '../../store/snapshots/entry-pages.ts';

/** Entries between two lines of progress. */
const progressStep = 100_000;

/** Counts what is exported. `onProgress` gets a line now and then. */
export function createSummary(onProgress: (line: string) => void) {
  let entries = 0;
  let credits = 0;
  return {
    add(page: readonly NumberedEntry[]): void {
      const steps = Math.floor(entries / progressStep);
      entries += page.length;
      credits += page.reduce((sum, entry) => sum + entry.credits, 0);
      if (Math.floor(entries / progressStep) > steps) onProgress(`${entries} entries …`);
    },
    asText: () => `Exported ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${credits} credits in all.`,
    asJson: () => JSON.stringify({ entries, credits }),
  };
}
