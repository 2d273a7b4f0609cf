import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { findHarm, hostileText } from '@tallyhook/platform/testing/hostile-text';
import { sampleSize } from '@tallyhook/platform/testing/sample';
import fc from 'fast-check';
import { type Message, startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import { type Option, optionType } from '../../packages/local-discord/src/command-schema.ts';
import { textsOf } from '../../packages/local-discord/src/objects.ts';
import type { Announcement } from '../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import type { BotProfile, Review, ServerProfile } from '../../src/lookup/lookup.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { premiumKinds, voteKinds } from '../../src/webhook/event.ts';
import { plainAnnouncer } from '../support/announcer.ts';
import { connectedBot } from '../support/bot.ts';
import { bot, fakeLookup, reviewOf, server } from '../support/command-fixture.ts';
import { blocksOf } from '../support/message-text.ts';
import { channelQueue } from '../support/queues.ts';
import { setupServicesOver } from '../support/setup-over.ts';

const en = textsIn('en-US');

const voter = '200000000000000001';
const giver = '200000000000000002';
const hostileUrl = fc.oneof(
  hostileText.map((text) => `https://x.example/${text}`),
  fc.constantFrom('javascript:alert(1)', 'https://u:p@evil.example/', 'https://x.example/)[a](b', ''),
);

/** A value of an option: the user, its first choice, a small number, or the hostile name. */
function valueFor(option: Option, userId: string, { name }: { readonly name: string }): string | number {
  if (option.type === optionType.user) return userId;
  const [choice] = ('choices' in option && option.choices) || [];
  const isNumber = option.type === optionType.integer || option.type === optionType.number;
  if (isNumber) return Math.max(1, option.min_value ?? 1);
  return choice?.value ?? `x${name}`.slice(0, ('max_length' in option && option.max_length) || 100);
}

/** The title of a panel: a text of ours, with a link to the page of the listing. */
const ownTitle = /^### \[([A-Za-z0-9 :!]+)\]\(https?:\/\/[^()\s]+\)$/gm;

/** Checks all texts of a message, including those that Discord renders as Markdown. */
function expectHarmless(message: Message, users: readonly string[], ownMentions: readonly string[] = []): void {
  expect(message.mentions).toEqual([]);
  expect(message.mention_everyone).toBe(false);
  const ofEmbeds = message.embeds.flatMap(({ title, description, footer, author, fields }) => {
    const ofFields = (fields ?? []).flatMap(({ name, value }) => [name, value]);
    return [title, description, footer?.text, author?.name, ...ofFields];
  });
  for (const text of [...ofEmbeds, ...textsOf(message.components)]) {
    if (typeof text !== 'string') continue;
    const withoutLink = text.replace(ownTitle, '$1');
    const withoutOwn = ownMentions.reduce((rest, each) => rest.replaceAll(each, ''), withoutLink);
    expect(findHarm(withoutOwn, users), JSON.stringify(text.slice(0, 500))).toBe(null);
    expect(text.replaceAll('👨‍👩‍👧‍👦', '')).not.toMatch(/\u200D…/);
  }
}

describe('hostile text', { timeout: 60_000 }, () => {
  it('in a profile or a review is escaped by every command, and never makes one fail', async () => {
    const texts = fc.record({
      name: hostileText,
      description: hostileText,
      tags: fc.array(hostileText, { maxLength: 30 }),
      category: hostileText,
      url: hostileUrl,
      reviews: fc.array(fc.record({ username: hostileText, comment: hostileText }), { maxLength: 7 }),
      count: fc.oneof(fc.constantFrom(0, 1e21, Number.MAX_VALUE, 0.1), fc.nat()),
    });
    let profiles: readonly [ServerProfile, BotProfile] = [server, bot];
    let written: Review[] = [];
    const status = { canVote: true, lastVoteAt: 0, nextVoteAt: null };
    const listings = [
      {
        name: 'server',
        lookup: fakeLookup('server', {
          profile: async () => profiles[0],
          voteStatus: () => status,
          reviews: () => ({ reviews: written, total: written.length }),
        }),
      },
      { name: 'bot', lookup: fakeLookup('bot', { profile: async () => profiles[1], voteStatus: () => status }) },
    ];
    const { discord, run, member, other, logged } = await connectedBot(commands, {
      listings,
      setup: (_, store) => setupServicesOver(store),
    });

    const used = new Set<string>();
    const mentions = discord.commands().map(({ name, id }) => `</${name}:${id}>`);

    await fc.assert(
      fc.asyncProperty(texts, async ({ reviews, count, ...words }) => {
        profiles = [
          { ...server, ...words, votes: count, members: count },
          { ...bot, ...words, votes: count, servers: count },
        ];
        written = reviews.map((review) => reviewOf({ ...review, rating: count }));
        const inputs: readonly Record<string, string | number>[] = [
          { listing: 'server' },
          { listing: 'bot' },
          { user: other.id, credits: 1, reason: `x${words.name}`.slice(0, 200) },
          { user: other.id },
          { action: 'export' },
          { state: 'on' },
          {},
        ];
        const slashCommands = discord.commands().filter(({ type }) => type === 1);
        for (const { name, options } of slashCommands) {
          const allowed = (options ?? []).map((option) => option.name);
          const required = (options ?? []).filter((option) => 'required' in option && option.required);
          const isAccepted = (input: object) =>
            Object.keys(input).every((each) => allowed.includes(each)) && required.every((each) => each.name in input);
          const complete = Object.fromEntries(
            required.map((option) => [option.name, valueFor(option, other.id, words)]),
          );
          for (const input of [complete, ...inputs.filter(isAccepted)]) {
            const message = await run(name, input).settled;
            expectHarmless(message, [member.id, other.id], mentions);
            expect(message.embeds[0]?.title, `/${name} ${message.embeds[0]?.description}`).not.toBe(
              en.text('failure.title'),
            );
            used.add(name);
          }
        }
      }),
      { numRuns: sampleSize(40) },
    );
    expect([...used].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
    const callbacks = discord.requests.filter(({ path }) => path.endsWith('/callback'));
    expect(callbacks.length).toBeGreaterThan(sampleSize(600));
    for (const { body, status: told } of callbacks) {
      expect(told).toBeLessThan(300);
      expect(body).toMatchObject({ data: { allowed_mentions: { parse: [] } } });
    }
    expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('in any event of every kind is escaped in the announcement', async () => {
    const announcement: fc.Arbitrary<Announcement> = fc.record({
      event: fc.oneof(fc.constantFrom<string>(...voteKinds, ...premiumKinds), hostileText),
      test: fc.boolean(),
      listing: hostileText,
      userId: fc.constantFrom(voter, null),
      credits: fc.constantFrom(0, 1, 1_000_000),
      balance: fc.constantFrom(null, 0, Number.MAX_SAFE_INTEGER),
      reason: fc.option(hostileText),
      at: fc.constantFrom(0, Date.UTC(2026, 0, 1), 253_402_300_799_999),
      nextVoteAt: fc.constantFrom(null, Date.UTC(2026, 0, 2)),
      tier: fc.option(hostileText),
      giftedBy: fc.constantFrom(giver, null),
      streak: fc.constantFrom(null, 1, 700),
      calculation: fc.constantFrom(null, '10 × 2'),
      bonuses: fc.array(
        fc.record({ cause: hostileText, credits: fc.constantFrom(0, 50), count: fc.constantFrom(0, 7) }),
      ),
      roles: fc.array(fc.record({ role: fc.constantFrom(giver, '1'), until: fc.constantFrom(null, 5) })),
    });
    const card = fc.option(fc.record({ name: hostileText, url: hostileUrl }));
    const discord = await startLocalDiscord({ rateLimits: false });
    onTestFinished(() => discord.stop());
    const { log, logged } = collectingLog([discord.token]);
    const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
    const channelId = discord.channels.announcements;
    let messages = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(announcement, { minLength: 1, maxLength: 10 }), card, async (announcements, shown) => {
        const perform = plainAnnouncer({ rest, cardOf: async () => shown, log });
        messages += 1;
        const nonce = `nonce-${messages}`;
        const effects = announcements.map((announcement, place) => ({
          id: place + 1,
          deliveryId: place + 1,
          kind: 'announcement' as const,
          queue: channelQueue(channelId),
          content: announcement,
          attempts: 1,
          createdAt: 0,
          nonce,
          possiblySentSince: null,
        }));
        expect(await perform(effects)).toEqual({ outcome: 'done' });
        const message = discord.messages(channelId).at(-1);
        expect(message).toMatchObject({ nonce });
        if (message !== undefined) {
          expect(blocksOf(message)).toHaveLength(effects.length);
          expectHarmless(message, [voter, giver], [`<@&${giver}>`, '<@&1>']);
        }
      }),
      { numRuns: sampleSize(80) },
    );
    const posts = discord.requests.filter(({ method }) => method === 'POST');
    expect(posts.length).toBe(messages);
    for (const { body } of posts) expect(body).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
