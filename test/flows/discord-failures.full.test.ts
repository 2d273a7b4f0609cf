import { describe, expect, it, vi } from 'vitest';
import { premiumSecret } from '../support/listings.ts';
import { blocksOf } from '../support/message-text.ts';
import { startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 30_000, interval: 50 };
const channelMessages = /^\/channels\/\d+\/messages$/;

async function connectedJourney() {
  const { discord, post, url, environment } = await startInstallation();
  await vi.waitFor(() => expect(discord.connected).toBe(true), waitOptions);
  const { announcements, premium } = discord.channels;
  const vote = (userId: number) =>
    post('/webhooks/vote', { event: 'server_vote', userId: String(userId), timestamp: new Date().toISOString() });
  const purchase = (userId: number) => {
    const bought = { event: 'premium_purchase', buyer: { userId: String(userId) }, orderId: `order-${userId}` };
    return post('/webhooks/premium', bought, premiumSecret);
  };
  const announced = (channel: string) => discord.messages(channel).flatMap(blocksOf);
  const voters = () => announced(announcements).map((text) => /<@(\d+)>/.exec(text)?.[1]);
  const owner = async (path: string) => {
    const headers = { authorization: `Bearer ${environment['OWNER_TOKEN']}` };
    return (await fetch(`${url}/owner/api${path}`, { headers })).json();
  };
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { discord, vote, purchase, announced, voters, owner, metrics, announcements, premium };
}

describe('while Discord fails', { timeout: 60_000 }, () => {
  it('votes are stored, and afterwards announced once each: ten per message, channels in parallel, within the rate limits', async () => {
    const { discord, vote, purchase, announced, voters, metrics, announcements, premium } = await connectedJourney();
    discord.faults.outage(true);
    const users = Array.from({ length: 70 }, (_, place) => place + 1);
    const answers = await Promise.all(users.map(vote));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await purchase(500)).status).toBe(200);
    await vi.waitFor(async () => expect(await metrics()).toContain('tallyhook_gateway_connected 0'), waitOptions);
    expect(await metrics()).toContain('tallyhook_effects{state="waiting"} 71');

    discord.faults.outage(false);
    await vi.waitFor(() => expect(announced(premium)).toHaveLength(1), waitOptions);
    // At least seven messages are not sent at once: the limit is five in five seconds.
    expect(announced(announcements).length).toBeLessThan(70);
    await vi.waitFor(() => expect(announced(announcements)).toHaveLength(70), waitOptions);
    expect([...voters()].sort((a, b) => Number(a) - Number(b))).toEqual(users.map(String));
    // One message was in progress when Discord failed; its content must not change.
    expect(discord.messages(announcements).length).toBeLessThanOrEqual(7 + 1);
    expect(discord.requests.filter(({ status }) => status === 429)).toEqual([]);
    await vi.waitFor(async () => expect(await metrics()).toContain('tallyhook_gateway_connected 1'), waitOptions);
    await vi.waitFor(
      async () => expect(await metrics()).toContain('tallyhook_effects_oldest_waiting_seconds 0'),
      waitOptions,
    );
  });

  it('a failed announcement is retried and sent once while the gateway resumes', async () => {
    const { discord, vote, announced, announcements } = await connectedJourney();
    discord.faults.respond500(1, /POST .*messages/);
    discord.faults.loseAnswers(1, /POST .*messages/);
    discord.faults.dropGateway({ resumable: true });
    await vote(1);
    await vi.waitFor(() => {
      const posts = discord.requests.filter(({ method, path }) => method === 'POST' && channelMessages.test(path));
      expect(posts.map(({ status }) => status)).toEqual([500, 0, 200]);
    }, waitOptions);
    expect(announced(announcements)).toHaveLength(1);
    await vi.waitFor(() => expect(discord.connected).toBe(true), waitOptions);
  });
});
