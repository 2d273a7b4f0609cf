import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import { LookupUnreachable } from '../../src/lookup/failures.ts';
import type { CachedVoteStatus } from '../../src/lookup/schemas.ts';
import { hour, minute } from '../../src/platform/durations.ts';
import { asked, asker, bot, knowing, other, server, services, start } from './known.ts';

const free: CachedVoteStatus = { canVote: true, lastVoteAt: null, nextVoteAt: null };
const waiting: CachedVoteStatus = { canVote: false, lastVoteAt: start - hour, nextVoteAt: start + 11 * hour };

function serverThatSays(status: CachedVoteStatus, staleSince?: number) {
  const stale = staleSince === undefined ? {} : { staleSince };
  return {
    name: 'server',
    lookup: knowing('server', { profile: async () => server, voteStatus: () => status, ...stale }),
  };
}

describe('/canvote', () => {
  it('is seen only by the one who asks', () => expect(canvote.visibility).toBe('private'));

  it('says that you can vote, with a button to the page', async () => {
    const reply = await canvote.execute(asked(), services(serverThatSays({ ...free, lastVoteAt: start - 13 * hour })));
    expect(reply).toMatchObject({
      tone: 'good',
      text: `You can vote for **Lantern Harbour** now.\nLast vote: <t:${(start - 13 * hour) / 1_000}:R>`,
      buttons: [{ kind: 'link', url: 'https://listing.example/server/1' }],
    });
  });

  it('says when you can vote again, and when you did, without a button', async () => {
    const reply = await canvote.execute(asked(), services(serverThatSays(waiting)));
    expect(reply.text).toContain(`<t:${(start + 11 * hour) / 1_000}:R>`);
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
    expect(reply.buttons ?? []).toEqual([]);
  });

  it('says "not yet" where the service gives no dates', async () => {
    const reply = await canvote.execute(
      asked(),
      services(serverThatSays({ canVote: false, lastVoteAt: null, nextVoteAt: null })),
    );
    expect(reply.tone).toBe('wait');
    expect(reply.text).toContain('voted for **Lantern Harbour** not long ago');
    expect(reply.text).not.toContain('<t:');
  });

  it('asks for somebody else and names them', async () => {
    const seen: string[] = [];
    const lookup = knowing('server', {
      voteStatus: (userId) => {
        seen.push(userId);
        return free;
      },
    });
    const reply = await canvote.execute(asked({ user: other }), services({ name: 'server', lookup }));
    expect(seen).toEqual([other]);
    expect(reply.text).toContain(`<@${other}> can vote`);
  });

  it('takes an id that is none for no id', async () => {
    const seen: string[] = [];
    const lookup = knowing('server', {
      voteStatus: (userId) => {
        seen.push(userId);
        return free;
      },
    });
    await canvote.execute(asked({ user: '../server' }), services({ name: 'server', lookup }));
    expect(seen).toEqual([asker]);
  });

  it('answers without a button when the profile cannot be had', async () => {
    const lookup = knowing('server', { voteStatus: () => free });
    const reply = await canvote.execute(asked(), services({ name: 'server', lookup }));
    expect(reply).toMatchObject({ tone: 'good', text: 'You can vote for **this server** now.', buttons: [] });
  });

  it('does not wait for a profile that hangs', async () => {
    const lookup = knowing('server', { voteStatus: () => free, profile: () => new Promise(() => {}) });
    const asking = services({ name: 'server', lookup });
    const coming = canvote.execute(asked(), asking);
    await wait(5);
    await asking.clock.advance(600);
    expect((await coming).tone).toBe('good');
  });

  it('fails when nothing is known of the vote', async () => {
    const lookup = knowing('server', { profile: async () => server });
    await expect(canvote.execute(asked(), services({ name: 'server', lookup }))).rejects.toThrow(LookupUnreachable);
  });

  it('says how old an answer is when the service cannot be asked', async () => {
    const reply = await canvote.execute(asked(), services(serverThatSays(waiting, start - 5 * minute)));
    expect(reply.text).toContain(`<t:${(start - 5 * minute) / 1_000}:R>`);
  });

  it('knows that a cooldown whose end has passed is over, even when the service cannot be asked', async () => {
    const ended = { canVote: false, lastVoteAt: start - 13 * hour, nextVoteAt: start - hour };
    expect((await canvote.execute(asked(), services(serverThatSays(ended, start - 2 * hour)))).tone).toBe('good');
  });

  it('does not promise a moment that has passed when the service says "no" just now', async () => {
    const odd = { canVote: false, lastVoteAt: null, nextVoteAt: start - minute };
    const reply = await canvote.execute(asked(), services(serverThatSays(odd)));
    expect(reply.tone).toBe('wait');
    expect(reply.text).not.toContain('<t:');
  });

  it('lets nobody dress up a name', async () => {
    const lookup = knowing('server', {
      voteStatus: () => free,
      profile: async () => ({ ...server, name: '@everyone [free](https://evil.example)\n# nitro' }),
    });
    const reply = await canvote.execute(asked(), services({ name: 'server', lookup }));
    expect(reply.text).toBe('You can vote for **@\u200Beveryone \\[free\\](https\\://evil.example) # nitro** now.');
  });
});

describe('the listing that /canvote asks', () => {
  const listings = [
    serverThatSays(free),
    { name: 'bot', lookup: knowing('bot', { profile: async () => bot, voteStatus: () => free }) },
  ] as const;

  it('is the server first, and the bot when it is chosen', async () => {
    const asking = services(...listings);
    expect((await canvote.execute(asked(), asking)).text).toContain('Lantern Harbour');
    expect((await canvote.execute(asked({ listing: 'bot' }), asking)).text).toContain('Lamplighter');
    expect((await canvote.execute(asked({ listing: 'gone' }), asking)).text).toContain('Lantern Harbour');
  });

  it('can be chosen only where there is a choice', () => {
    const names = (...given: (typeof listings)[number][]) =>
      canvote.describe(services(...given)).options.map(({ name }) => name);
    expect(names(...listings)).toEqual(['user', 'listing']);
    expect(names(listings[0])).toEqual(['user']);
    expect(names(listings[1])).toEqual(['user']);
  });

  it('is called by its kind, or by its name where there are several of a kind', () => {
    const second = { name: 'harbour', lookup: listings[0].lookup };
    const choices = canvote
      .describe(services(listings[0], second, listings[1]))
      .options.flatMap((option) => ('choices' in option ? option.choices : []));
    expect(choices).toEqual([
      { name: 'server', value: 'server' },
      { name: 'harbour', value: 'harbour' },
      { name: 'bot', value: 'bot' },
    ]);
  });
});
