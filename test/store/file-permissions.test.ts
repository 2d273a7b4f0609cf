import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('a new database', () => {
  it("is its owner's alone, and so are the files beside it", async () => {
    const path = join(tempDir(), 'new.db');
    const store = await openStore(`sqlite:${path}`, systemClock);
    onTestFinished(() => store.close());
    await store.probe();
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777, file).toBe(0o600);
  });
});
