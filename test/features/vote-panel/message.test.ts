import { minute } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands, commandsFor } from '../../../commands/index.ts';
import { loadConfig } from '../../../config/load.ts';
import { controlsOf } from '../../../packages/local-discord/src/objects.ts';
import type { Effect } from '../../../src/core/outbox/effect-kind.ts';
import { RequestGuard } from '../../../src/discord/circuits.ts';
import type { ListedLookup } from '../../../src/discord/commands/command.ts';
import { CircuitOpenError } from '../../../src/discord/discord-errors.ts';
import { createDecorations, createKnownGuilds } from '../../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { openStore } from '../../../src/features/store.ts';
import { create } from '../../../src/features/vote-panel/parts.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { bot, fakeLookup, server } from '../../support/command-fixture.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { textOf } from '../../support/message-text.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 10, 20, 12);
const [ada, grace] = ['200000000000000001', '200000000000000002'];
const shop = [{ id: 'vip', name: 'VIP', price: 5, manual: true }];

/** The parts of the feature with a local Discord, for a guild with this listing and others. */
async function guild(settings: object = { shop }, offered = commands, others: readonly object[] = []) {
  const clock = manualClock(start);
  const discord = await localDiscord({ rateLimits: false });
  const { guildId, channels } = discord;
  const store = await openStore(newSqliteUrl(), storeClock(clock), { thread: false });
  await store.communityIds.addConfigured([discord.guildId]);
  onTestFinished(() => store.close());
  const listing = { ...harbour, guildId, ownerChannelId: channels.premium, ...settings };
  const { listings } = loadConfig(environmentWith([listing, ...others.map((other) => ({ ...other, guildId }))]));
  const directory = createDirectory(listings, communityIdsOf(listings));
  const service = { isDown: false, listings: [listed('server')] as readonly ListedLookup[] };
  const { log } = collectingLog();
  const guard = new RequestGuard({
    ...({ store, clock, log } as const),
    ...{ guildOfChannel: () => guildId },
  });
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl, guard });
  const guilds = createKnownGuilds(rest, clock);
  const { findDeparted } = createDecorations({ rest, guilds, requestsPerSecond: () => 50, clock });
  const parts = create({
    ...({
      ...{ store, rest, findDeparted, directory, clock, commands: offered },
      guildTexts: async () => textsIn('en-US'),
    } as const),
    lookups: {
      of: () => (service.isDown ? [listed('server', true)] : service.listings),
      displayName: (name: string) => name,
    },
  } as unknown as Parameters<typeof create>[0]);

  function listed(kind: 'server' | 'bot', isDown = false, site?: ListedLookup['site']): ListedLookup {
    const profile = async () => (kind === 'server' ? server : bot);
    return { name: `${kind}${site?.id ?? ''}`, lookup: fakeLookup(kind, isDown ? {} : { profile }), site };
  }
  let nonce = 0;
  /** Carries out the update that was enqueued for a channel. */
  async function update(channelId = channels.general) {
    nonce += 1;
    const [effect] = await store.outbox.claim(channelQueue(channelId), clock.now(), clock.now() + minute, 1);
    if (effect === undefined) return null;
    const result = await parts.effects[0]?.perform([{ ...effect, nonce: `n${nonce}` } as Effect]);
    await store.outbox.done([effect], clock.now());
    return result;
  }
  const place = (channelId = channels.general) => store.votePanel.place({ guildId, channelId }, clock.now());
  const [task] = parts.tasks(directory.communities[0] ?? (undefined as never));
  /** As a round of announcements. Returns whether it enqueued an update. */
  const compare = async () => {
    await parts.prepareTasks();
    return (await task?.run()) !== null;
  };
  const vote = async (userId: string) => {
    const listingOf = directory.listings[0];
    if (listingOf === undefined) throw new Error('no listing');
    await recordVote(store, listingOf, userId, clock.now());
  };
  const messages = (channelId = channels.general) => discord.messages(channelId);
  return { clock, discord, channels, guildId, store, rest, service, listed, place, update, compare, vote, messages };
}

const done = { outcome: 'done' };

describe('the vote panel of a guild', () => {
  it('has a link for each listing, what members need, and the top three of the month, whom it does not ping', async () => {
    const { place, update, vote, messages, clock } = await guild();
    for (const userId of [grace, ada]) await vote(userId);
    await clock.advance(13 * 60 * minute);
    await vote(grace);
    await place();
    expect(await update()).toEqual(done);
    const [message] = messages();
    expect(textOf(message)).toBe(
      [
        '### Vote for Lantern Harbour',
        'Each vote earns **10** credits.',
        '',
        '**Most votes this month**',
        `🥇 <@${grace}> · **2** votes`,
        `🥈 <@${ada}> · **1** vote`,
        '-# November 2026',
      ].join('\n'),
    );
    expect(message).toMatchObject({ mentions: [] });
    expect(controlsOf(message?.components ?? []).map((each) => ('url' in each ? each.url : each.custom_id))).toEqual([
      server.url,
      'tallyhook:remind/toggle:',
      'tallyhook:credits/own:',
      'tallyhook:shop/open:',
    ]);
  });

  it('gives members with equal votes one medal, and says how many more have it', async () => {
    const { place, update, vote, messages, clock } = await guild();
    const tied = [grace, '200000000000000003', '200000000000000004', '200000000000000005'];
    for (const userId of [ada, ...tied]) await vote(userId);
    await clock.advance(13 * 60 * minute);
    await vote(ada);
    await place();
    await update();
    expect(textOf(messages()[0]).split('\n').slice(4)).toEqual([
      `🥇 <@${ada}> · **2** votes`,
      `🥈 <@${tied[0]}> · **1** vote`,
      `🥈 <@${tied[1]}> · **1** vote`,
      '… and 2 more',
      '-# November 2026',
    ]);
  });

  it('says what can be won, and until when', async () => {
    const prizes = [{ per: 'month', by: 'votes', places: [{ from: 1, credits: 1_000 }] }];
    const { place, update, messages } = await guild({ shop, rewards: { prizes } });
    await place();
    await update();
    const december = Date.UTC(2026, 11, 1) / 1_000;
    expect(textOf(messages()[0])).toContain(`🏆 Most votes of a month: #1: **1,000** credits · ends <t:${december}:R>`);
  });

  it('offers only what there is, and has friendly words before the first vote', async () => {
    const offered = commandsFor({ reminders: false }).filter(({ name }) => name !== 'vote');
    const { place, update, messages, service, listed } = await guild({}, offered);
    const site = { id: 'topgg', name: 'top.gg' };
    service.listings = [listed('server'), listed('bot'), listed('bot', false, site)];
    await place();
    await update();
    const controls = controlsOf(messages()[0]?.components ?? []);
    expect(controls.map((each) => 'label' in each && each.label)).toEqual([
      ...['Vote for Lantern Harbour', 'Vote for Lamplighter', 'Vote on top.gg', 'My credits'],
    ]);
    expect(textOf(messages()[0])).toContain('Nobody is ranked here yet. Be the first!');
  });

  it('has one button that lists several listings', async () => {
    const { place, update, messages, service, listed } = await guild({}, commandsFor({ reminders: false }));
    service.listings = [listed('server'), listed('bot')];
    await place();
    await update();
    expect(controlsOf(messages()[0]?.components ?? [])).toMatchObject([
      { label: 'Vote', custom_id: 'tallyhook:vote/list:' },
      { label: 'My credits' },
    ]);
  });

  it('is edited in place when it would show something else, at most once a minute', async () => {
    const { place, update, compare, vote, messages, clock, service } = await guild();
    await place();
    await update();
    await clock.advance(minute);
    expect(await compare()).toBe(false);
    await vote(ada);
    expect(await compare()).toBe(false);
    await clock.advance(minute);
    expect(await compare()).toBe(true);
    expect(await update()).toEqual(done);
    expect(messages().map(textOf)).toEqual([expect.stringContaining(`<@${ada}>`)]);
    await vote(grace);
    await clock.advance(minute);
    service.isDown = true;
    expect(await compare()).toBe(false);
  });

  it('says what a vote earns today in the time zone of the community, and is edited when that changes', async () => {
    const multipliers = [
      { factor: 2, days: ['saturday', 'sunday'] },
      { factor: 3, from: '2026-11-21T12:00:00Z', until: '2026-11-21T18:00:00Z' },
      { factor: 5, role: '300000000000000009' },
    ];
    const { place, update, compare, messages, clock } = await guild({
      ...({ timeZone: 'America/New_York', rewards: { vote: 15, multipliers } } as const),
    });
    const earned = () => textOf(messages()[0]).split('\n')[1];
    const why = () => textOf(messages()[0]).split('\n')[2];
    const at = async (time: string) => {
      await clock.advance(Date.parse(time) - clock.now());
      if (await compare()) await update();
      return earned();
    };
    await place();
    await update();
    expect(earned()).toBe('Each vote earns **15** credits.');
    expect(await at('2026-11-21T04:58:00Z')).toBe('Each vote earns **15** credits.');
    // Midnight in New York. The amount does not last for the whole day.
    expect(why()).toBe('');
    expect(await at('2026-11-21T05:00:00Z')).toBe('Each vote earns **30** credits.');
    expect(why()).toBe('-# ×2 on Saturday, Sunday');
    expect(await at('2026-11-21T12:00:00Z')).toBe('Each vote earns **90** credits.');
    const until = Date.parse('2026-11-21T18:00:00Z') / 1_000;
    expect(why()).toBe(`-# ×2 on Saturday, Sunday · ×3 until <t:${until}:f>`);
    expect(await at('2026-11-21T18:00:00Z')).toBe('Each vote earns **30** credits today.');
    expect(await at('2026-11-23T05:00:00Z')).toBe('Each vote earns **15** credits.');
  });

  it('says what a vote for each listing earns if they differ', async () => {
    const other = { ...harbour, name: 'lamplighter', kind: 'bot', id: '1001', lookupKey: 'another-key-for-tests' };
    const { place, update, messages, service, listed } = await guild({ rewards: { vote: 5 } }, commands, [
      { ...other, rewards: { vote: 20 } },
      { ...other, name: 'unpaid', id: '1002', lookupKey: 'third-key-for-tests', rewards: { vote: 0 } },
    ]);
    const names = ['harbour', 'lamplighter', 'unpaid'];
    service.listings = names.map((name) => ({ ...listed(name === 'harbour' ? 'server' : 'bot'), name }));
    await place();
    await update();
    expect(textOf(messages()[0]).split('\n').slice(1, 4)).toEqual([
      '**Lantern Harbour** · Each vote earns **5** credits.',
      '**Lamplighter** · Each vote earns **20** credits.',
      '',
    ]);
  });

  it('moves to another channel, or to the end of the same', async () => {
    const { place, update, messages, channels } = await guild();
    await place();
    await update();
    const [first] = messages();
    await place();
    expect(await update()).toEqual(done);
    expect(messages()).toHaveLength(1);
    expect(messages()[0]?.id).not.toBe(first?.id);
    await place(channels.announcements);
    expect(await update(channels.announcements)).toEqual(done);
    expect([messages(), messages(channels.announcements)]).toMatchObject([[], [{}]]);
  });

  it('is posted in another channel although Discord rejects everything in the former one', async () => {
    const { place, update, messages, channels, discord, rest } = await guild();
    await place();
    await update();
    discord.faults.losePermission(channels.general);
    const rejected = () => rest.post(`/channels/${channels.general}/messages`, { content: 'hello' });
    await expect(rejected()).rejects.toMatchObject({ code: 50_013 });
    await expect(rejected()).rejects.toBeInstanceOf(CircuitOpenError);
    await place(channels.announcements);
    expect(await update(channels.announcements)).toEqual(done);
    expect(messages(channels.announcements)).toHaveLength(1);
  });

  it('that was deleted is reported to the owner once, and not posted again', async () => {
    const { place, update, compare, vote, messages, clock, rest, channels, store, guildId } = await guild();
    await place();
    await update();
    await rest.delete(`/channels/${channels.general}/messages/${messages()[0]?.id}`);
    await vote(ada);
    await clock.advance(minute);
    expect(await compare()).toBe(true);
    expect(await update()).toEqual(done);
    expect(messages()).toEqual([]);
    expect(await store.votePanel.find(guildId)).toBe(null);
    const reports = await store.outbox.claim(channelQueue(channels.premium), clock.now(), clock.now() + minute, 10);
    expect(reports).toMatchObject([{ kind: 'ownerReport', content: { report: { type: 'votePanelGone' } } }]);
  });

  it('waits while Discord is down, and is posted once if its response was lost', async () => {
    const { place, update, messages, discord, store, clock, channels } = await guild();
    await place();
    discord.faults.loseAnswers(1);
    expect(await update()).toMatchObject({ outcome: 'later' });
    await store.votePanel.place({ guildId: discord.guildId, channelId: channels.general }, clock.now());
    discord.faults.outage(true);
    expect(await update()).toMatchObject({ outcome: 'later' });
    discord.faults.outage(false);
    expect(messages()).toHaveLength(1);
  });
});
