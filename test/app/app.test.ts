import { existsSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

describe('createApp, if it fails', () => {
  it('closes the database that it opened', async () => {
    const path = `${tempDir()}/tally.db`;
    const config = loadConfig({
      ...settings(unreachableDiscord),
      DATABASE_URL: `sqlite:${path}`,
      CACHE_URL: 'memory:',
    });
    const listings = config.listings.map((listing) => ({ ...listing, lookupKey: 'two words' }));
    const log = createLog({ level: 'silent', secrets: [] });
    await expect(createApp({ ...config, listings }, { clock: systemClock, log })).rejects.toMatchObject({
      code: 'lookup_key_malformed',
    });
    expect(existsSync(path)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
