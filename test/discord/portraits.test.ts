import { second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createDecorations, createKnownGuilds } from '../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { localDiscord } from '../support/bot.ts';

/** Portraits of the members of a local Discord, who look as `fields` say. */
async function setUp(fields: { member?: object; user?: object; guild?: object } = {}) {
  const discord = await localDiscord();
  const clock = manualClock();
  const real = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const state = { requests: 0, isHanging: false };
  const rest = {
    async get(route: `/${string}`) {
      state.requests += 1;
      if (state.isHanging) await new Promise(() => {});
      const json = (await real.get(route)) as { user?: object };
      if (route.includes('/members/')) return { ...json, ...fields.member, user: { ...json.user, ...fields.user } };
      return route.startsWith('/guilds/') ? { ...json, ...fields.guild } : json;
    },
  };
  const guilds = createKnownGuilds(rest, clock);
  const { portraits } = createDecorations({ rest, guilds, requestsPerSecond: () => 50, clock });
  const [member] = discord.members;
  const of = (userId = member?.id ?? '') => portraits.ofMember(discord.channels.announcements, userId);
  return { discord, clock, state, portraits, member, of };
}

describe('the portrait of a member', () => {
  it('has the name and the avatar that the member has in the guild', async () => {
    const { member, of } = await setUp({ member: { nick: 'Nick', avatar: 'b'.repeat(32) } });
    const portrait = await of();
    expect(portrait?.name).toBe('Nick');
    expect(portrait?.avatarUrl).toContain(`/users/${member?.id}/avatars/${'b'.repeat(32)}.png?size=128`);
  });

  it('has those of the account otherwise, and is requested once', async () => {
    const { member, of, state } = await setUp({ user: { global_name: 'Ada', avatar: 'a_c' } });
    const avatarUrl = `https://cdn.discordapp.com/avatars/${member?.id}/a_c.png?size=128`;
    expect([await of(), await of()]).toEqual(Array(2).fill({ name: 'Ada', avatarUrl }));
    expect(state.requests).toBe(2);
    const plain = await setUp({ user: { global_name: null, username: 'ada', avatar: null } });
    expect(await plain.of()).toEqual({ name: 'ada', avatarUrl: null });
  });

  it('is unknown of somebody who is not in the guild, and while Discord is slow', async () => {
    const { of, state, clock, discord } = await setUp();
    expect(await of('7')).toBe(null);
    state.isHanging = true;
    const slow = of(discord.members[1]?.id);
    await clock.advance(second);
    expect(await slow).toBe(null);
  });

  it('takes at most a tenth of the requests, so that a backlog does not wait for it', async () => {
    const { of, discord, clock } = await setUp();
    const others = Array.from({ length: 50 }, (_, index) => `3000000000000000${10 + index}`);
    await of();
    await Promise.all(others.map(of));
    const [, member] = discord.members;
    expect(await of(member?.id)).toBe(null);
    await clock.advance(second);
    expect(await of(member?.id)).not.toBe(null);
  });
});

it('the icon of a guild is an address', async () => {
  const withIcon = await setUp({ guild: { icon: 'a_d' } });
  const { discord, portraits } = withIcon;
  expect(await portraits.iconOf(discord.channels.announcements)).toBe(
    `https://cdn.discordapp.com/icons/${discord.guildId}/a_d.png?size=128`,
  );
  const without = await setUp({ guild: { icon: null } });
  expect(await without.portraits.iconOf(without.discord.channels.announcements)).toBe(null);
});
