import type { BackupOptions } from '../database/snapshots/backup.ts';
import { startProgress } from './progress.ts';
import { type Terminal, UsageError } from './terminal.ts';

/* Shared by the commands that copy a database to or from a file. */

/** The only positional argument. @throws UsageError if it is missing or there are several */
export function singleFile(positionals: readonly string[]): string {
  const [file, ...others] = positionals;
  if (file === undefined || file === '' || others.length > 0) throw new UsageError('Specify exactly one file.');
  return file;
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
