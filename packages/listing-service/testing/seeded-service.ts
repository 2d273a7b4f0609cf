import { readFileSync, writeFileSync } from 'node:fs';
import type { Clock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { startService } from '../src/service.ts';

/** A database of the listing service with the example listings. */
export interface SeededService {
  /** `sqlite:` and its path. */
  readonly database: string;
  readonly keys: { readonly server: string; readonly bot: string };
}

/**
 * Copies of a database which is created at the first call, at the time of this clock: that takes longer than most tests.
 *
 * @returns creates a copy at a path, by default in a directory of its own
 */
export function seededService(clock: Clock): (path?: string) => Promise<SeededService> {
  let original: Promise<{ readonly file: Buffer; readonly keys: SeededService['keys'] }> | undefined;
  return async (path = `${tempDir()}/service.db`) => {
    original ??= createSeeded(clock);
    const { file, keys } = await original;
    writeFileSync(path, file);
    return { database: `sqlite:${path}`, keys };
  };
}

async function createSeeded(clock: Clock) {
  const path = `${tempDir()}/service.db`;
  const service = await startService({ database: `sqlite:${path}`, allowLoopbackTargets: true, seed: true, clock });
  await service.stop();
  if (service.seeded?.keys == null) throw new Error('not seeded');
  return { file: readFileSync(path), keys: service.seeded.keys };
}
