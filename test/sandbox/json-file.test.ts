import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { second } from '@tallyhook/platform/durations';
import { openJsonFile, readJsonFile, writeJsonFile } from '@tallyhook/platform/json-file';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const schema = z.object({ count: z.int() });
const quiet = createLog({ level: 'silent', secrets: [] });

describe('a JSON file', () => {
  it('is null before the first write, then the written value', () => {
    const path = join(tempDir(), 'kept.json');
    expect(readJsonFile(path, schema, quiet)).toBe(null);
    writeJsonFile(path, { count: 3 });
    expect(readJsonFile(path, schema, quiet)).toEqual({ count: 3 });
  });

  it.each(['', '{"count":', '{"count":"three"}', 'null'])('is renamed with a warning if it is invalid: %s', (text) => {
    const path = join(tempDir(), 'kept.json');
    writeFileSync(path, text);
    const warnings: unknown[] = [];
    const log = createLog({ level: 'silent', secrets: [] });
    log.warn = (...told: unknown[]) => void warnings.push(told);
    expect(readJsonFile(path, schema, log)).toBe(null);
    expect(JSON.stringify(warnings)).toContain('damaged');
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text);
  });

  it('is written once for a burst of changes, and when it is closed', async () => {
    const path = join(tempDir(), 'kept.json');
    const stopwatch = manualClock();
    let count = 0;
    let snapshots = 0;
    const snapshot = () => {
      snapshots += 1;
      return { count };
    };
    const file = openJsonFile({ path, snapshot, stopwatch, log: quiet });
    for (count = 1; count < 5; count += 1) file.scheduleWrite();
    await stopwatch.advance(second);
    expect(snapshots).toBe(1);
    count = 9;
    file.scheduleWrite();
    await file.stop();
    expect(readJsonFile(path, schema, quiet)).toEqual({ count: 9 });
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('logs a warning if it cannot be written', async () => {
    const stopwatch = manualClock();
    const file = openJsonFile({ path: '/nowhere/kept.json', snapshot: () => 1, stopwatch, log: quiet });
    file.scheduleWrite();
    await stopwatch.advance(second);
    await file.stop();
  });
});
