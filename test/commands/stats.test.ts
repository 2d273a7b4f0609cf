import { hour } from '@tallyhook/platform/durations';
import { describe, expect, it, vi } from 'vitest';
import { stats } from '../../commands/stats.ts';
import type { DrawVotePicture } from '../../src/features/parts.ts';
import { bot, contextFor, fakeLookup, inputOf, server, start } from '../support/command-fixture.ts';

const listedServer = { name: 'server', lookup: fakeLookup('server', { profile: async () => server }) };
const listedBot = { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot }) };

describe('/stats', () => {
  it('shows the profile of a server, its counts in full digits, and its link', async () => {
    const reply = await stats.execute(inputOf(), contextFor(listedServer, listedBot));
    expect(reply).toMatchObject({
      title: 'Lantern Harbour',
      url: 'https://listing.example/server/1',
      text: 'A quiet place.',
      buttons: [{ kind: 'link', url: 'https://listing.example/server/1' }],
    });
    expect(reply.fields?.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      ...['Votes: 1,234,567', 'Votes this month: 8,910', 'Members: 20,500', 'Online: 1,024', 'Channels: 12'],
      ...['Roles: 7', 'Category: Community', 'Tags: calm, boats'],
    ]);
  });

  it('shows the votes that arrived here where the site tells none, and the score where it tells one', async () => {
    const shown = async (profile: typeof bot) => {
      const listing = { name: 'bot', lookup: fakeLookup('bot', { profile: async () => profile }) };
      const context = { ...contextFor(listing), recordedVotes: async () => ({ month: 3, total: 1_017 }) };
      const { fields = [], footer } = await stats.execute(inputOf(), context);
      return [...fields.map(({ name, value }) => `${name}: ${value}`), footer];
    };
    const silent = { ...bot, votes: null, servers: null, shards: null };
    expect(await shown(silent)).toEqual([
      ...['Votes: 1,017', 'Votes this month: 3', 'Counted are the votes that arrived here.'],
    ]);
    const rated = { ...silent, votes: 42, monthlyVotes: 7, rating: { score: 4.376, count: 62_245 } };
    expect(await shown(rated)).toEqual(['Votes: 42', 'Votes this month: 7', 'Rating: ⭐ 4.4 (62,245)', undefined]);
  });

  it('shows the bot if it is selected', async () => {
    const reply = await stats.execute(inputOf({ listing: 'bot' }), contextFor(listedServer, listedBot));
    expect(reply.title).toBe('Lamplighter');
    expect(reply.fields?.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'Votes: 42',
      'Servers: 3,000',
      'Shards: 2',
    ]);
  });

  it('omits missing fields', async () => {
    const bare = {
      ...server,
      ...{ name: '', description: null, votes: 0, monthlyVotes: null, members: null, online: null },
      ...{ channelCount: null, roleCount: null, tags: ['', '\u200B'], category: null, url: null },
    };
    const lookup = fakeLookup('server', { profile: async () => bare });
    const reply = await stats.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(reply).toEqual({
      ...{ tone: 'plain', title: 'this server', text: '', fields: [{ name: 'Votes', value: '0', inline: true }] },
    });
  });

  it("never shows the owner's id", async () => {
    const lookup = fakeLookup('server', { profile: async () => ({ ...server, ownerDiscordId: '999888777666555444' }) });
    const reply = await stats.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(JSON.stringify(reply)).not.toContain('999888777666555444');
  });

  it('shows the age of a stale profile', async () => {
    const lookup = fakeLookup('server', { profile: async () => server, staleSince: start - hour });
    const reply = await stats.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
  });

  describe('with votes in the last 30 days', () => {
    const picture = { file: { name: 'votes.png', content: new Uint8Array([1]), description: 'Bars.' }, caption: null };
    const withPicture = (drawVotePicture: DrawVotePicture) => ({
      ...contextFor(listedServer, listedBot),
      drawVotePicture,
    });

    it('shows a picture of the votes of the selected listing', async () => {
      const requests: unknown[] = [];
      const context = withPicture(async (request) => {
        requests.push(request);
        return picture;
      });
      const reply = await stats.execute(inputOf({ listing: 'bot' }), context);
      expect(reply).toMatchObject({ title: 'Lamplighter', image: 'votes.png', files: [picture.file] });
      expect(reply.footer).toContain('those of the listing service');
      expect(requests).toEqual([{ listings: ['bot'], texts: context.texts, scale: 1, now: start }]);
    });

    it('shows no picture where the bot may not attach files', async () => {
      const draw = vi.fn(async () => picture);
      const reply = await stats.execute(inputOf({}, { canAttachFiles: false }), withPicture(draw));
      expect(reply).not.toHaveProperty('image');
      expect(reply).not.toHaveProperty('files');
      expect(draw).not.toHaveBeenCalled();
    });

    it('does not wait for a late picture', async () => {
      const context = withPicture(() => new Promise(() => {}));
      const replying = stats.execute(inputOf(), context);
      await vi.waitFor(() => expect(context.clock.sleepers()).toBe(1));
      await context.clock.advance(700);
      expect(await replying).not.toHaveProperty('image');
    });
  });
});
