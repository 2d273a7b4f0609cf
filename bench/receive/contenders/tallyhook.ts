import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { listingId, listingSecret, secret } from '../../load/vote.ts';
import type { Setting, Start, Surroundings } from '../contender.ts';
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

/** One listing in variables, several listings and rewards in a file. */
function listingVariables({ directory, surroundings, listings, rewards, site }: Setting): Record<string, string> {
  const { lookupKey } = surroundings;
  if (listings === 1 && !rewards && site === null) return { LOOKUP_SERVER_KEY: lookupKey, VOTE_WEBHOOK_SECRET: secret };
  const file = join(directory, 'listings.json');
  const all = Array.from({ length: listings }, (_, at) => ({
    ...(site === null ? { name: `listing-${at}`, kind: 'server' } : { name: site, kind: 'bot', site }),
    id: listingId(at),
    voteSecrets: [listingSecret(at)],
    ...(at === 0 && site === null ? { lookupKey } : {}),
    ...(rewards ? { guildId: surroundings.guildId, rewards: everyRule(surroundings) } : {}),
  }));
  writeFileSync(file, JSON.stringify({ listings: all }), { mode: 0o600 });
  return { TALLYHOOK_CONFIG: file };
}

/** Rules that all apply to every vote. The bonus for all listings needs votes for two, and is only checked. */
function everyRule({ roles }: Surroundings): object {
  return {
    multipliers: [
      { factor: 2, days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] },
      { factor: 1.5, from: '2020-01-01T00:00:00Z' },
    ],
    streak: { every: 1, credits: 5, forgive: 1 },
    milestones: [
      { everyVotes: 1, credits: 3 },
      { votes: 1, credits: 1, role: roles.milestone },
    ],
    // The votes are weeks old, and their roles must not have ended.
    voterRole: { role: roles.voter, for: '3650d' },
    allListings: 20,
    party: { goal: 1_000_000, per: 'month', credits: 25 },
  };
}
