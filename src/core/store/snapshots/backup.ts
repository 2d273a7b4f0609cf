import {
  type BackupOptions,
  type CopyFormat,
  copyDatabase,
  restoreDatabase,
} from '@tallyhook/platform/database/snapshots/backup';
import type { Tables } from '../tables.ts';
import { balanceDifferences } from './audit.ts';
import { bot } from './snapshot.ts';
import { contentsOf, type DatabaseContents } from './statistics.ts';

/** Contents of a verified copy. */
export interface CopyResult extends DatabaseContents {
  /**
   * The number of users whose balance is not the sum of their entries. An exact copy of a faulty ledger has them too.
   */
  readonly balanceDifferences: number;
}

const format: CopyFormat<Tables, CopyResult> = {
  program: bot,
  databaseHint: 'Check DATABASE_URL and the working directory.',
  commands: { backup: 'tallyhook backup', doctor: 'tallyhook doctor' },
  programToStop: 'tallyhook',
  async readContents(snapshot) {
    const { count } = await balanceDifferences(snapshot);
    return { ...(await contentsOf(snapshot)), balanceDifferences: count };
  },
};

/** Copies the bot's SQLite database into a new file. Throws what {@link copyDatabase} throws. */
export function backUp(from: string, to: string, options: BackupOptions): Promise<CopyResult> {
  return copyDatabase(format, from, to, options);
}

/** Restores the bot's database from a backup. Throws what {@link restoreDatabase} throws. */
export function restoreBackup(file: string, to: string): Promise<CopyResult> {
  return restoreDatabase(format, file, to);
}
