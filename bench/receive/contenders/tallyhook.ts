import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { listingId, listingSecret, secret } from '../../load/vote.ts';
import type { Setting, Start } from '../contender.ts';
import { addEarlierMembers } from '../earlier-members.ts';
import { databaseFile } from '../verify-durability.ts';

/** The whole program as in production. */
export const start: Start = async (setting) => {
  const { directory, surroundings, members } = setting;
  const database = join(directory, databaseFile);
  if (members > 0) await addEarlierMembers(database, members);
  const config = loadConfig({
    ...listingVariables(setting),
    DISCORD_TOKEN: surroundings.token,
    DISCORD_API_URL: surroundings.discordUrl,
    LOOKUP_BASE_URL: surroundings.lookupUrl,
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

/** One listing in variables, several in a file. */
function listingVariables({ directory, surroundings, listings }: Setting): Record<string, string> {
  const { lookupKey } = surroundings;
  if (listings === 1) return { LOOKUP_SERVER_KEY: lookupKey, VOTE_WEBHOOK_SECRET: secret };
  const file = join(directory, 'listings.json');
  const all = Array.from({ length: listings }, (_, at) => ({
    name: `listing-${at}`,
    kind: 'server',
    id: listingId(at),
    voteSecrets: [listingSecret(at)],
    ...(at === 0 ? { lookupKey } : {}),
  }));
  writeFileSync(file, JSON.stringify({ listings: all }), { mode: 0o600 });
  return { TALLYHOOK_CONFIG: file };
}
