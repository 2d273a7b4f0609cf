import { hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { createKnownGuilds } from '../../src/discord/known-guilds.ts';
import { createGuildLanguages } from '../../src/discord/languages.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { localDiscord } from '../support/bot.ts';

/** Languages of a guild that answers with `locale`, and the number of requests. */
async function setUp(locale: string, configured: () => string | null = () => null) {
  const discord = await localDiscord();
  const clock = manualClock();
  const real = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const state = { locale, requests: 0, isDown: false, isHanging: false };
  const rest = {
    async get(route: `/${string}`) {
      state.requests += 1;
      if (state.isHanging) await new Promise(() => {});
      if (state.isDown) throw new Error('Discord is down.');
      const json = await real.get(route);
      return route.startsWith('/guilds/') ? { ...(json as object), preferred_locale: state.locale } : json;
    },
  };
  const guilds = createKnownGuilds(rest, clock);
  const languages = createGuildLanguages({ languages: ownTexts, guilds, configured, clock });
  const localeOf = async (channelId = discord.channels.announcements) => (await languages.ofChannel(channelId)).locale;
  return { discord, clock, state, guilds, languages, localeOf };
}

describe('the language of a guild', () => {
  it('is its own, which is requested once an hour', async () => {
    const { state, clock, localeOf } = await setUp('de');
    expect(await localeOf()).toBe('de');
    expect(await localeOf()).toBe('de');
    expect(state.requests).toBe(2);
    state.locale = 'ja';
    await clock.advance(hour);
    expect(await localeOf()).toBe('ja');
  });

  it('is requested again when the guild has changed', async () => {
    const { state, guilds, localeOf, discord } = await setUp('de');
    expect(await localeOf()).toBe('de');
    state.locale = 'ja';
    guilds.expire(discord.guildId);
    guilds.expire('1');
    expect(await localeOf()).toBe('ja');
  });

  it('is English if there are no texts in it, and of another region if there are texts in that', async () => {
    expect(await (await setUp('sv-SE')).localeOf()).toBe('en-US');
    expect(await (await setUp('zh-TW')).localeOf()).toBe('zh-CN');
  });

  it('is the configured one, without a request', async () => {
    const { state, localeOf, languages, discord } = await setUp('de', () => 'fr');
    expect(await localeOf()).toBe('fr');
    expect((await languages.ofGuild(discord.guildId)).locale).toBe('fr');
    expect(state.requests).toBe(0);
  });

  it('is the last known one while Discord is down, which is asked again after a while', async () => {
    const { state, clock, localeOf } = await setUp('de');
    expect(await localeOf()).toBe('de');
    state.isDown = true;
    await clock.advance(hour);
    expect(await localeOf()).toBe('de');
    const { requests } = state;
    expect(await localeOf()).toBe('de');
    expect(state.requests).toBe(requests);
    state.isDown = false;
    state.locale = 'fr';
    await clock.advance(5 * minute);
    expect(await localeOf()).toBe('fr');
  });

  it('is known soon after an outage in which it was not', async () => {
    const { state, clock, localeOf } = await setUp('de');
    state.isDown = true;
    expect(await localeOf()).toBe('en-US');
    state.isDown = false;
    await clock.advance(5 * second);
    expect(await localeOf()).toBe('de');
  });

  it('is not requested again for minutes if Discord refuses it', async () => {
    const { state, clock, localeOf } = await setUp('de');
    expect(await localeOf('999999999999999999')).toBe('en-US');
    await clock.advance(4 * minute);
    expect(await localeOf('999999999999999999')).toBe('en-US');
    expect(state.requests).toBe(1);
  });

  it('is the last known one while Discord does not respond, without a longer wait than for the first message', async () => {
    const { state, clock, localeOf } = await setUp('de');
    expect(await localeOf()).toBe('de');
    await clock.advance(hour);
    state.isHanging = true;
    const first = localeOf();
    for (let passed = 0; passed < 500; passed += 50) await clock.advance(50);
    expect(await first).toBe('de');
    expect(await localeOf()).toBe('de');
  });
});
