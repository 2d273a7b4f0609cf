import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/features/store.ts';

describe('a new database', () => {
  it('is only readable by its owner, and so are its -wal and -shm files', async () => {
    const path = join(tempDir(), 'new.db');
    const store = await openStore(`sqlite:${path}`, systemClock);
    onTestFinished(() => store.close());
    await store.probe();
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777, file).toBe(0o600);
  });
});
