import { describe, expect, it } from 'vitest';
import { issuesOfChannels } from '../../commands/setup/import.ts';
import { createGuildChannels } from '../../src/discord/guild-channels.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { localDiscord } from '../support/local-discord.ts';

const silentLog = createLog({ level: 'silent', secrets: [] });

/** Checks an export of a guild with these channels against the channels of the local Discord. */
async function check(channels: (discord: Awaited<ReturnType<typeof localDiscord>>) => object, guildId?: string) {
  const discord = await localDiscord();
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const channelsOf = createGuildChannels({ rest, clock: systemClock, log: silentLog });
  const text = JSON.stringify({ listings: [{ name: 'server', ...channels(discord) }] });
  return issuesOfChannels({ services: { checks: { channelsOf } }, guildId: guildId ?? discord.guildId }, text);
}

describe('channels of imported settings', () => {
  it('must be of the same guild', async () => {
    const own = ({ channels }: Awaited<ReturnType<typeof localDiscord>>) => ({
      announceChannelId: channels.announcements,
      premiumChannelId: null,
    });
    expect(await check(own)).toEqual([]);
    expect(await check((discord) => ({ ...own(discord), ownerChannelId: '123456789012345678' }))).toMatchObject([
      { path: 'ownerChannelId', problem: 'is not a channel of this server.' },
    ]);
    expect(await check(({ channels }) => ({ announceChannelId: channels.otherGuild }))).toMatchObject([
      { path: 'announceChannelId', problem: 'is not a channel of this server.' },
    ]);
  });

  it('are refused while Discord does not list them', async () => {
    const unknownGuild = '123456789012345678';
    expect(await check(({ channels }) => ({ announceChannelId: channels.announcements }), unknownGuild)).toMatchObject([
      { path: 'announceChannelId', problem: 'could not be checked with Discord.' },
    ]);
  });
});
