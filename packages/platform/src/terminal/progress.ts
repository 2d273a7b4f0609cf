import { type Clock, systemClock } from '../clock.ts';
import type { BackupOptions } from '../database/snapshots/backup.ts';
import { second } from '../durations.ts';
import type { Terminal } from './terminal.ts';

/** Between two drawings on a terminal, and between two lines elsewhere, of which the first follows after a second (ms). */
const drawIntervalMs = second / 10;
const lineIntervalMs = 5 * second;
const firstLineMs = second;
/** Earlier, the rate says little about the rest (ms). */
const estimateAfterMs = 2 * second;
const barWidth = 10;
/** 0.57 × 100 is less than 57. */
const roundingError = 1e-9;

export type Progress = ReturnType<typeof startProgress>;

export interface ProgressOptions {
  /** Name of what is counted, such as `rows`; empty to show the share alone. */
  readonly unit: string;
  /** Missing if it is not known. */
  readonly total?: number;
  /** Name of the work, before the bar: `Verifying`. */
  readonly label?: string;
}

/**
 * Begins to show how far a long work is: in place on a terminal, otherwise as lines. Not with clack, whose progress bar ends
 * the process with code 0 at Ctrl-C, before the work has stopped.
 * @example
 * ```
 * ▕██████░░░░▏ 57 %  57,000/100,000 rows  24,300/s  2 s left
 * ```
 */
export function startProgress(
  { drawLine, printError }: Pick<Terminal, 'drawLine' | 'printError'>,
  { unit, total, label = '' }: ProgressOptions,
  clock: Pick<Clock, 'monotonic'> = systemClock,
) {
  const startedAt = clock.monotonic();
  let nextAt = startedAt + (drawLine === undefined ? firstLineMs : drawIntervalMs);

  function describe(done: number, share: number | undefined, elapsedMs: number): string {
    const counted = unit !== '';
    const perSecond = elapsedMs > 0 ? (done / elapsedMs) * second : 0;
    const isEstimated = share !== undefined && share > 0 && elapsedMs >= estimateAfterMs;
    return [
      label,
      share === undefined ? '' : `${barOf(share)} ${Math.floor(share * 100 + roundingError)} %`,
      counted ? `${grouped(done)}${total === undefined ? '' : `/${grouped(total)}`} ${unit}` : '',
      counted && perSecond >= 1 ? `${grouped(perSecond)}/s` : '',
      isEstimated ? `${durationOf((elapsedMs * (1 - share)) / share)} left` : '',
    ]
      .filter(Boolean)
      .join('  ');
  }

  return {
    /**
     * @param done of the total, not of this call
     * @param share from 0 to 1, if it does not follow from the total
     */
    advanceTo(done: number, share = total ? Math.min(1, done / total) : undefined): void {
      const now = clock.monotonic();
      if (now < nextAt) return;
      nextAt = now + (drawLine === undefined ? lineIntervalMs : drawIntervalMs);
      (drawLine ?? printError)(describe(done, share, now - startedAt));
    },
    /** Removes what is shown in place. Call it when the work ends, in whatever way. */
    end: () => drawLine?.(null),
  };
}

function barOf(share: number): string {
  const filled = Math.round(share * barWidth);
  return `▕${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}▏`;
}

function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `12 s`, `3 min` or `1 h 5 min`. */
function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / second);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Copies a database and shows how far it is, then that the copy is verified. */
export async function copyWithProgress<Contents>(
  terminal: Terminal,
  copy: (options: Pick<BackupOptions, 'onProgress' | 'stop'>) => Promise<Contents>,
): Promise<Contents> {
  const progress = startProgress(terminal, { label: 'Copying', unit: '', total: 1 });
  const onProgress = (share: number): void => {
    if (share < 1) progress.advanceTo(share);
    else terminal.drawLine?.('Verifying the copy …');
  };
  return copy({ onProgress, stop: terminal.stop }).finally(progress.end);
}
