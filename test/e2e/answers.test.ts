import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';

const run = (...args: string[]) => promisify(execFile)(process.execPath, ['scripts/answers.ts', ...args]);

describe('scripts/answers.ts', { timeout: 60_000 }, () => {
  it('takes the images of a state in both themes, with a palette', async () => {
    const directory = join(tempDir(), 'images');
    await run('--language', 'ja', '--directory', directory, '--only', 'canvote-now');
    expect(readdirSync(directory).toSorted()).toEqual(['canvote-now-dark.png', 'canvote-now-light.png']);
    const [dark, light] = ['dark', 'light'].map((theme) => readFileSync(join(directory, `canvote-now-${theme}.png`)));
    if (!dark || !light) throw new Error('An image is missing.');
    const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(sizeOf(dark)).toEqual(sizeOf(light));
    expect(dark.readUInt32BE(16)).toBeGreaterThan(1000);
    expect(dark.equals(light)).toBe(false);
    // Color type 3: with a palette. It is much smaller.
    expect([dark[25], light[25]]).toEqual([3, 3]);
    expect(dark.length).toBeLessThan(60 * 1024);
  });

  it('rejects a state that does not exist', async () => {
    const stderr = expect.stringContaining('Unknown state no-such-state');
    await expect(run('--only', 'no-such-state')).rejects.toMatchObject({ code: 2, stderr });
  });
});
