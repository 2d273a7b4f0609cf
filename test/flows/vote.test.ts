import { describe, expect, it, vi } from 'vitest';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { blocksOf, textOf } from '../support/message-text.ts';
import { startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 15_000, interval: 50 };

describe('a vote on the service', () => {
  it('becomes credits and an announcement, and the member can see the time of the next vote', {
    timeout: 30_000,
  }, async () => {
    const { discord, service, app, url } = await startInstallation();
    const listing = service.seeded?.server;
    const member = discord.members[0];
    if (!listing || !member) throw new Error('no listing, no member');
    const names = app.commandData().map(({ name }) => name);
    await vi.waitFor(() => expect(discord.connected).toBe(true), waitOptions);
    await vi.waitFor(
      () =>
        expect(
          discord
            .commands()
            .map(({ name }) => name)
            .sort(),
        ).toEqual(names.toSorted()),
      waitOptions,
    );

    const runCanVote = () =>
      discord.runCommand({ name: 'canvote', options: {}, userId: member.id, channelId: discord.channels.general })
        .response;
    const before = await runCanVote();
    expect(before).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(JSON.stringify(before)).toContain(service.url);

    await service.setWebhook(listing.id, { voteUrl: `${url}/webhooks/vote`, voteSecret });
    const { nextVoteAt } = await service.castVote({
      listingId: listing.id,
      userId: member.id,
      username: member.username,
    });
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);

    const [message] = discord.messages(discord.channels.announcements);
    const [embed] = message?.embeds ?? [];
    expect(embed?.description).toContain(`<@${member.id}>`);
    expect(embed?.description).toContain('10');
    // Nothing that becomes untrue later, such as when the member can vote again.
    expect(embed?.description).not.toContain('<t:');
    expect(message?.mentions).toEqual([]);
    expect(await app.ledger.account(member.id)).toMatchObject({ credits: 10, votes: 1 });

    const after = await runCanVote();
    expect(JSON.stringify(after)).toContain(`<t:${Math.floor(nextVoteAt / 1_000)}:R>`);
    expect(after.type).toBe(4);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'tallyhook_lookups_total{listing="server",event="fact",resource="votes"} 1',
    );
  });

  it('is paid and announced once when it is sent repeatedly', { timeout: 30_000 }, async () => {
    const { discord, post, app } = await startInstallation();
    const vote = { event: 'server_vote', userId: '42', timestamp: new Date().toISOString() };
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/webhooks/vote', vote)));
    expect(responses.filter(({ json }) => json['outcome'] === 'duplicate')).toHaveLength(19);
    expect(responses.filter(({ json }) => json['outcome'] === 'recorded')).toHaveLength(1);
    await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);
    expect(await app.ledger.account('42')).toMatchObject({ credits: 10, votes: 1 });
  });

  it('of each kind, a purchase, a denied vote and a test are announced with their own texts and channels', {
    timeout: 30_000,
  }, async () => {
    const { discord, post } = await startInstallation();
    const at = new Date().toISOString();
    await post('/webhooks/vote', { event: 'bot_vote', userId: '1', timestamp: at });
    await post('/webhooks/vote', {
      event: 'server_vote',
      userId: '2',
      timestamp: at,
      creditsAwarded: false,
      creditDenialReason: 'Ad *blocker* @everyone',
    });
    await post('/webhooks/vote', { event: 'server_vote', userId: '3', timestamp: at, test: true });
    await post(
      '/webhooks/premium',
      { event: 'premium_purchase', buyer: { userId: '4' }, orderId: 'o', tier: { name: 'Gold' } },
      premiumSecret,
    );
    await vi.waitFor(() => {
      expect(discord.messages(discord.channels.announcements).flatMap(({ embeds }) => embeds)).toHaveLength(3);
      expect(discord.messages(discord.channels.premium).flatMap(blocksOf)).toHaveLength(1);
    }, waitOptions);
    const [bot, denied, test] = discord.messages(discord.channels.announcements).flatMap(({ embeds }) => embeds);
    expect(bot?.description).toContain('<@1>');
    expect(denied?.description).toContain('Ad \\*blocker\\*');
    expect(JSON.stringify(test).toLowerCase()).toContain('test');
    expect(textOf(discord.messages(discord.channels.premium)[0])).toContain('<@4> got **Gold**');
    const posts = discord.requests.filter(({ method, path }) => method === 'POST' && path.includes('/messages'));
    expect(posts.length).toBeGreaterThan(0);
    for (const { body } of posts) expect(body).toMatchObject({ allowed_mentions: { parse: [] }, enforce_nonce: true });
  });
});
