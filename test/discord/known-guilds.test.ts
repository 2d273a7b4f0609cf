import { hour, minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createGuildReader } from '../../src/discord/guild-reader.ts';
import { createDecorations, createKnownGuilds } from '../../src/discord/known-guilds.ts';
import { createGuildLanguages, createMemberLanguages } from '../../src/discord/languages.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';
import { localDiscord } from '../support/bot.ts';

const people = ['ada', 'grace', 'linus'].map((username, index) => ({ id: `30000000000000000${index}`, username }));
const [ada, grace, linus] = people.map(({ id }) => id) as [string, string, string];
const stranger = '300000000000000009';

/** What is known of a guild and its members, who look as `fields` say, and the number of requests. */
async function setUp(
  fields: { member?: object; user?: object; guild?: object } = {},
  configured: () => string | null = () => null,
) {
  const discord = await localDiscord({ people, rateLimits: false });
  const clock = manualClock();
  const real = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const state = { fields, requests: 0, isDown: false, isHanging: false };
  const rest = {
    ...real,
    async get(route: `/${string}`) {
      state.requests += 1;
      if (state.isHanging) await new Promise(() => {});
      if (state.isDown) throw new Error('Discord is down.');
      const json = (await real.get(route)) as { user?: object };
      const { member, user, guild } = state.fields;
      if (route.includes('/members/')) return { ...json, ...member, user: { ...json.user, ...user } };
      return route.startsWith('/guilds/') ? { ...json, ...guild } : json;
    },
  };
  const guilds = createKnownGuilds(rest, clock);
  const { portraits, findDeparted: find } = createDecorations({ rest, guilds, requestsPerSecond: () => 50, clock });
  const languages = createGuildLanguages({ languages: ownTexts, guilds, configured, clock });
  const { announcements } = discord.channels;
  return {
    ...{ discord, clock, rest, state, guilds, portraits, languages, find },
    portraitOf: (userId = ada) => portraits.ofMember(announcements, userId),
    localeOf: async (channelId: string = announcements) => (await languages.ofChannel(channelId)).locale,
  };
}

describe('the language of a guild', () => {
  const speaking = (locale: string) => ({ guild: { preferred_locale: locale } });

  it('is its own, which is requested once an hour', async () => {
    const { state, clock, localeOf } = await setUp(speaking('de'));
    expect(await localeOf()).toBe('de');
    expect(await localeOf()).toBe('de');
    expect(state.requests).toBe(2);
    state.fields = speaking('ja');
    await clock.advance(hour);
    expect(await localeOf()).toBe('ja');
  });

  it('is requested again when the guild has changed', async () => {
    const { state, guilds, localeOf, discord } = await setUp(speaking('de'));
    expect(await localeOf()).toBe('de');
    state.fields = speaking('ja');
    guilds.expire(discord.guildId);
    guilds.expire('1');
    expect(await localeOf()).toBe('ja');
  });

  it('is English if there are no texts in it, and of another region if there are texts in that', async () => {
    expect(await (await setUp(speaking('sv-SE'))).localeOf()).toBe('en-US');
    expect(await (await setUp(speaking('zh-TW'))).localeOf()).toBe('zh-CN');
  });

  it('is the configured one, without a request', async () => {
    const { state, localeOf, languages, discord } = await setUp(speaking('de'), () => 'fr');
    expect(await localeOf()).toBe('fr');
    expect((await languages.ofGuild(discord.guildId)).locale).toBe('fr');
    expect(state.requests).toBe(0);
  });

  it('is the last known one while Discord is down, which is asked again after a while', async () => {
    const { state, clock, localeOf } = await setUp(speaking('de'));
    expect(await localeOf()).toBe('de');
    state.isDown = true;
    await clock.advance(hour);
    expect(await localeOf()).toBe('de');
    const { requests } = state;
    expect(await localeOf()).toBe('de');
    expect(state.requests).toBe(requests);
    state.isDown = false;
    state.fields = speaking('fr');
    await clock.advance(5 * minute);
    expect(await localeOf()).toBe('fr');
  });

  it('is known soon after an outage in which it was not', async () => {
    const { state, clock, localeOf } = await setUp(speaking('de'));
    state.isDown = true;
    expect(await localeOf()).toBe('en-US');
    state.isDown = false;
    await clock.advance(5 * second);
    expect(await localeOf()).toBe('de');
  });

  it('is not requested again for minutes if Discord refuses it', async () => {
    const { state, clock, localeOf } = await setUp(speaking('de'));
    expect(await localeOf('999999999999999999')).toBe('en-US');
    await clock.advance(4 * minute);
    expect(await localeOf('999999999999999999')).toBe('en-US');
    expect(state.requests).toBe(1);
  });

  it('is the last known one while Discord does not respond, without a longer wait than for the first message', async () => {
    const { state, clock, localeOf } = await setUp(speaking('de'));
    expect(await localeOf()).toBe('de');
    await clock.advance(hour);
    state.isHanging = true;
    const first = localeOf();
    for (let passed = 0; passed < 500; passed += 50) await clock.advance(50);
    expect(await first).toBe('de');
    expect(await localeOf()).toBe('de');
  });
});

it('stores the language of a member only if another one is stored, or none', async () => {
  const stored = new Map<string, string>();
  const writes: string[] = [];
  const languages = createMemberLanguages({
    languages: ownTexts,
    locales: {
      localeOf: async (userId) => stored.get(userId) ?? null,
      async setLocale(userId, locale) {
        writes.push(locale);
        stored.set(userId, locale);
      },
    },
    fallback: async () => textsIn('en-US'),
    log: collectingLog().log,
  });
  const note = async (locale: string) => {
    languages.note({ userId: '1', locale });
    await languages.textsOf('1');
  };
  for (const locale of ['de', 'de', 'fr', 'fr']) await note(locale);
  // Such as by the member's wish.
  stored.delete('1');
  await note('fr');
  expect(writes).toEqual(['de', 'fr', 'fr']);
  expect((await languages.textsOf('1')).locale).toBe('fr');
});

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

describe('the portrait of a member', () => {
  it('has the name and the avatar that the member has in the guild', async () => {
    const { portraitOf } = await setUp({ member: { nick: 'Nick', avatar: 'b'.repeat(32) } });
    const portrait = await portraitOf();
    expect(portrait?.name).toBe('Nick');
    expect(portrait?.avatarUrl).toContain(`/users/${ada}/avatars/${'b'.repeat(32)}.png?size=128`);
  });

  it('has those of the account otherwise, and is requested once', async () => {
    const { portraitOf, state } = await setUp({ user: { global_name: 'Ada', avatar: 'a_c' } });
    const avatarUrl = `https://cdn.discordapp.com/avatars/${ada}/a_c.png?size=128`;
    expect([await portraitOf(), await portraitOf()]).toEqual(Array(2).fill({ name: 'Ada', avatarUrl }));
    expect(state.requests).toBe(2);
    const plain = await setUp({ user: { global_name: null, username: 'ada', avatar: null } });
    expect(await plain.portraitOf()).toEqual({ name: 'ada', avatarUrl: null });
  });

  it('is unknown of somebody who is not in the guild, and while Discord is slow', async () => {
    const { portraitOf, state, clock } = await setUp();
    expect(await portraitOf('7')).toBe(null);
    state.isHanging = true;
    const slow = portraitOf(grace);
    await clock.advance(second);
    expect(await slow).toBe(null);
  });

  it('takes at most a tenth of the requests, so that a backlog does not wait for it', async () => {
    const { portraitOf, clock } = await setUp();
    const others = Array.from({ length: 50 }, (_, index) => `3100000000000000${10 + index}`);
    await portraitOf();
    await Promise.all(others.map(portraitOf));
    expect(await portraitOf(grace)).toBe(null);
    await clock.advance(second);
    expect(await portraitOf(grace)).not.toBe(null);
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
