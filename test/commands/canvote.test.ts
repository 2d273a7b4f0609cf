import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import type { CachedVoteStatus } from '../../src/lookup/schemas.ts';
import { hour, minute } from '../../src/platform/durations.ts';
import { bot, contextFor, fakeLookup, inputOf, memberId, otherMemberId, server, start } from './command-fixture.ts';

const free: CachedVoteStatus = { canVote: true, lastVoteAt: null, nextVoteAt: null };
const waiting: CachedVoteStatus = { canVote: false, lastVoteAt: start - hour, nextVoteAt: start + 11 * hour };

function serverWith(status: CachedVoteStatus, staleSince?: number) {
  const stale = staleSince === undefined ? {} : { staleSince };
  return {
    name: 'server',
    lookup: fakeLookup('server', { profile: async () => server, voteStatus: () => status, ...stale }),
  };
}

describe('/canvote', () => {
  it('is visible only to the member who runs it', () => expect(canvote.visibility).toBe('private'));

  it('reports that the member can vote, with a button to the page', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(serverWith({ ...free, lastVoteAt: start - 13 * hour })));
    expect(reply).toMatchObject({
      tone: 'good',
      text: `You can vote for **Lantern Harbour** now.\nLast vote: <t:${(start - 13 * hour) / 1_000}:R>`,
      buttons: [{ kind: 'link', url: 'https://listing.example/server/1' }],
    });
  });

  it('reports the next and the last vote, without a button', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(serverWith(waiting)));
    expect(reply.text).toContain(`<t:${(start + 11 * hour) / 1_000}:R>`);
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
    expect(reply.buttons ?? []).toEqual([]);
  });

  it('reports that the cooldown runs when the service sends no dates', async () => {
    const reply = await canvote.execute(
      inputOf(),
      contextFor(serverWith({ canVote: false, lastVoteAt: null, nextVoteAt: null })),
    );
    expect(reply.tone).toBe('wait');
    expect(reply.text).toContain('voted for **Lantern Harbour** recently');
    expect(reply.text).not.toContain('<t:');
  });

  it('checks another member and mentions them', async () => {
    const userIds: string[] = [];
    const lookup = fakeLookup('server', {
      voteStatus: (userId) => {
        userIds.push(userId);
        return free;
      },
    });
    const reply = await canvote.execute(inputOf({ user: otherMemberId }), contextFor({ name: 'server', lookup }));
    expect(userIds).toEqual([otherMemberId]);
    expect(reply.text).toContain(`<@${otherMemberId}> can vote`);
  });

  it('ignores an invalid id', async () => {
    const userIds: string[] = [];
    const lookup = fakeLookup('server', {
      voteStatus: (userId) => {
        userIds.push(userId);
        return free;
      },
    });
    await canvote.execute(inputOf({ user: '../server' }), contextFor({ name: 'server', lookup }));
    expect(userIds).toEqual([memberId]);
  });

  it('replies without a button when the profile is not available', async () => {
    const lookup = fakeLookup('server', { voteStatus: () => free });
    const reply = await canvote.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(reply).toMatchObject({ tone: 'good', text: 'You can vote for **this server** now.', buttons: [] });
  });

  it('has a timeout for the profile', async () => {
    const lookup = fakeLookup('server', { voteStatus: () => free, profile: () => new Promise(() => {}) });
    const context = contextFor({ name: 'server', lookup });
    const pending = canvote.execute(inputOf(), context);
    await wait(5);
    await context.clock.advance(600);
    expect((await pending).tone).toBe('good');
  });

  it('fails when the vote status is not available', async () => {
    const lookup = fakeLookup('server', { profile: async () => server });
    await expect(canvote.execute(inputOf(), contextFor({ name: 'server', lookup }))).rejects.toMatchObject({
      code: 'lookup_unreachable',
    });
  });

  it('shows the age of a stale status', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(serverWith(waiting, start - 5 * minute)));
    expect(reply.text).toContain(`<t:${(start - 5 * minute) / 1_000}:R>`);
  });

  it('treats a cooldown as over when its end has passed, even in a stale status', async () => {
    const ended = { canVote: false, lastVoteAt: start - 13 * hour, nextVoteAt: start - hour };
    expect((await canvote.execute(inputOf(), contextFor(serverWith(ended, start - 2 * hour)))).tone).toBe('good');
  });

  it('shows no end in the past when the service reports a running cooldown', async () => {
    const contradictory = { canVote: false, lastVoteAt: null, nextVoteAt: start - minute };
    const reply = await canvote.execute(inputOf(), contextFor(serverWith(contradictory)));
    expect(reply.tone).toBe('wait');
    expect(reply.text).not.toContain('<t:');
  });

  it('escapes the name of the listing', async () => {
    const lookup = fakeLookup('server', {
      voteStatus: () => free,
      profile: async () => ({ ...server, name: '@everyone [free](https://evil.example)\n# nitro' }),
    });
    const reply = await canvote.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(reply.text).toBe('You can vote for **@\u200Beveryone \\[free\\](https\\://evil.example) # nitro** now.');
  });
});

describe('the listing of /canvote', () => {
  const listings = [
    serverWith(free),
    { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot, voteStatus: () => free }) },
  ] as const;

  it('is the server by default, and the bot if selected', async () => {
    const context = contextFor(...listings);
    expect((await canvote.execute(inputOf(), context)).text).toContain('Lantern Harbour');
    expect((await canvote.execute(inputOf({ listing: 'bot' }), context)).text).toContain('Lamplighter');
    expect((await canvote.execute(inputOf({ listing: 'gone' }), context)).text).toContain('Lantern Harbour');
  });

  it('can be selected only if there are several', () => {
    const names = (...selection: (typeof listings)[number][]) =>
      canvote.describe(contextFor(...selection)).options.map(({ name }) => name);
    expect(names(...listings)).toEqual(['user', 'listing']);
    expect(names(listings[0])).toEqual(['user']);
    expect(names(listings[1])).toEqual(['user']);
  });

  it('has its kind as its name, or its own name if there are several of its kind', () => {
    const second = { name: 'harbour', lookup: listings[0].lookup };
    const choices = canvote
      .describe(contextFor(listings[0], second, listings[1]))
      .options.flatMap((option) => ('choices' in option ? [...(option.choices ?? [])] : []));
    expect(choices).toEqual([
      { name: 'server', value: 'server' },
      { name: 'harbour', value: 'harbour' },
      { name: 'bot', value: 'bot' },
    ]);
  });
});
