import { join } from 'node:path';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { secret } from '../../load/vote.ts';
import type { Start } from '../contender.ts';
import { databaseFile } from '../verify-durability.ts';

/**
 * The whole program as in production. Discord and the service accept connections and never respond, so announcements
 * accumulate in the outbox.
 */
export const start: Start = async ({ directory, silentDiscord }) => {
  const config = loadConfig({
    DISCORD_TOKEN: 'bench',
    DISCORD_API_URL: `${silentDiscord}/api`,
    LOOKUP_BASE_URL: `${silentDiscord}/api/v1`,
    LOOKUP_SERVER_KEY: 'bench-key',
    VOTE_WEBHOOK_SECRET: secret,
    ANNOUNCE_CHANNEL_ID: '1',
    DATABASE_URL: `sqlite:${join(directory, databaseFile)}`,
    CACHE_URL: 'memory:',
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const log = createLog({ level: config.logLevel, secrets: config.secrets });
  const app = await createApp(config, { clock: systemClock, log });
  return Number(new URL((await app.start()) ?? '').port);
};
