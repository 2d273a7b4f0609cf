import { minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createGuildReader } from '../../src/discord/guild-reader.ts';
import { createDecorations, createKnownGuilds } from '../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { localDiscord } from '../support/bot.ts';

const people = ['ada', 'grace', 'linus'].map((username, index) => ({ id: `30000000000000000${index}`, username }));
const [ada, grace, linus] = people.map(({ id }) => id) as [string, string, string];
const stranger = '300000000000000009';

async function setUp() {
  const discord = await localDiscord({ people, rateLimits: false });
  const clock = manualClock();
  const real = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const state = { requests: 0, isHanging: false };
  const rest = {
    ...real,
    async get(route: `/${string}`) {
      state.requests += 1;
      if (state.isHanging) await new Promise(() => {});
      return real.get(route);
    },
  };
  const { findDeparted: find } = createDecorations({
    ...{ rest, guilds: createKnownGuilds(rest, clock), requestsPerSecond: () => 50, clock },
  });
  return { discord, clock, rest, state, find };
}

describe('members who have left a server', () => {
  it('have the names that Discord knows; nobody else does', async () => {
    const { discord, find, clock } = await setUp();
    const { guildId, channels, guild } = discord;
    guild.leave(grace);
    const everyone = [ada, grace, linus, stranger, 'forgotten'];
    expect(await find({ guildId }, everyone)).toEqual(new Map([[grace, 'grace']]));
    expect(await find({ channelId: channels.announcements }, everyone)).toEqual(new Map([[grace, 'grace']]));
    expect(await find({ channelId: '404' }, everyone)).toEqual(new Map());
    guild.leave(linus);
    guild.rejoin(grace);
    await clock.advance(10 * minute);
    expect(await find({ guildId }, everyone)).toEqual(new Map([[linus, 'linus']]));
  });

  it('are asked for once, and never for long', async () => {
    const { discord, find, clock, state } = await setUp();
    const { guildId } = discord;
    discord.guild.leave(grace);
    await find({ guildId }, [ada, grace]);
    expect(state.requests).toBe(3);
    await find({ guildId }, [ada, grace]);
    expect(state.requests).toBe(3);
    state.isHanging = true;
    const slow = find({ guildId }, [grace, linus]);
    await clock.advance(second);
    expect(await slow).toEqual(new Map([[grace, 'grace']]));
    const many = Array.from({ length: 200 }, (_, index) => `3100000000000000${index}`);
    const rest = find({ guildId }, many);
    await clock.advance(second);
    expect(await rest).toEqual(new Map());
    expect(state.requests).toBeLessThan(60);
  });

  it('are named in the console', async () => {
    const { discord, rest, clock } = await setUp();
    discord.guild.leave(grace);
    const reader = createGuildReader({ rest, clock });
    expect(await reader.member(discord.guildId, grace)).toBe(null);
    expect([await reader.user(grace), await reader.user(stranger)]).toEqual(['grace', null]);
  });
});
