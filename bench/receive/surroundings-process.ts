/** The process of the programs that tallyhook talks to: a local Discord for each bot, and the listing service. */
import { startLocalDiscord } from 'local-discord';
import { startListingService } from '../commands/setup.ts';
import { serveParent } from '../process/child-server.ts';
import type { Surroundings } from './contender.ts';

const [directory = ''] = process.argv.slice(2);
const service = await startListingService(directory);

/** It limits requests as Discord does: to a channel five messages in five seconds. */
async function create(): Promise<Surroundings> {
  const discord = await startLocalDiscord();
  return {
    discordUrl: discord.apiUrl,
    token: discord.token,
    channelId: discord.channels.announcements,
    lookupUrl: service.baseUrl,
    lookupKey: await service.issueKey(service.seeded?.server.id ?? ''),
  };
}

serveParent({ create });
