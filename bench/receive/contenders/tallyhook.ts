import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { secret } from '../../load/vote.ts';
import type { Start } from '../contender.ts';
import { databaseFile } from '../contender.ts';
import { addEarlierMembers } from '../earlier-members.ts';

/** The whole program as in production. */
export const start: Start = async ({ directory, surroundings, members }) => {
  const database = join(directory, databaseFile);
  if (members > 0) await addEarlierMembers(database, members);
  const config = loadConfig({
    DISCORD_TOKEN: surroundings.token,
    DISCORD_API_URL: surroundings.discordUrl,
    LOOKUP_BASE_URL: surroundings.lookupUrl,
    LOOKUP_SERVER_KEY: surroundings.lookupKey,
    VOTE_WEBHOOK_SECRET: secret,
    ANNOUNCE_CHANNEL_ID: surroundings.channelId,
    DATABASE_URL: `sqlite:${database}`,
    CACHE_URL: 'memory:',
    PORT: '0',
    LOG_LEVEL: 'fatal',
  });
  const log = createLog({ level: config.logLevel, secrets: config.secrets });
  const app = await createApp(config, { clock: systemClock, log });
  return Number(new URL((await app.start()) ?? '').port);
};
