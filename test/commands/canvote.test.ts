import { setTimeout as wait } from 'node:timers/promises';
import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import { remind } from '../../commands/remind.ts';
import type { LastVotes } from '../../src/core/ledger/account.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import type { Reply } from '../../src/discord/commands/reply.ts';
import { renderReply } from '../../src/discord/rendering/message.ts';
import type { CachedVoteStatus } from '../../src/lookup/lookup.ts';
import {
  bot,
  contextFor,
  fakeLookup,
  inputOf,
  memberId,
  otherMemberId,
  server,
  start,
} from '../support/command-fixture.ts';

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

describe('the other listings of /canvote', () => {
  /** A listing whose profile is in the cache. */
  function other(name: string, responses: Parameters<typeof fakeLookup>[1] = {}) {
    const url = `https://listing.example/${encodeURIComponent(name)}`;
    return {
      name,
      lookup: fakeLookup('server', { cachedProfile: { ...server, name: `The ${name}`, url }, ...responses }),
    };
  }

  function contextWith(lastVotes: LastVotes, ...listings: ListedLookup[]) {
    const context = contextFor(serverWith(waiting), ...listings);
    const rules = listings.map(({ name }) => {
      return { name, kind: 'server' as const, cooldownMs: name === 'daily' ? 24 * hour : 12 * hour, milestones: [] };
    });
    const standings = { ...context.standings, lastVotes: async () => lastVotes };
    return { ...context, rules, standings, commands: [remind] };
  }

  const labelsOf = async (reply: Promise<Reply>) => (await reply).buttons?.map(({ label }) => label);

  it('have buttons under "Not yet" after "Remind me", unless the ledger or the cache knows a cooldown', async () => {
    const context = contextWith(
      { voted: start - hour, daily: start - 13 * hour, past: start - 13 * hour },
      ...[other('voted'), other('daily'), other('past'), other('new')],
      other('cached', { cachedVoteStatus: () => waiting }),
      other('free', { cachedVoteStatus: () => free }),
    );
    const reply = await canvote.execute(inputOf(), context);
    expect(reply.buttons).toEqual([
      { kind: 'action', command: 'remind', action: 'on', label: 'Remind me' },
      { kind: 'link', label: 'Vote for The past', url: 'https://listing.example/past' },
      { kind: 'link', label: 'Vote for The new', url: 'https://listing.example/new' },
      { kind: 'link', label: 'Vote for The free', url: 'https://listing.example/free' },
    ]);
  });

  it('have buttons under "Ready to vote" after "Vote"', async () => {
    const context = contextWith({}, other('bot'));
    const listings = [serverWith(free), ...context.listings.slice(1)];
    expect(await labelsOf(canvote.execute(inputOf(), { ...context, listings }))).toEqual(['Vote', 'Vote for The bot']);
  });

  it('are at most four, and few are looked up', async () => {
    let lookups = 0;
    const cachedVoteStatus = () => {
      lookups += 1;
      return free;
    };
    const many = Array.from({ length: 1_000 }, (_, place) => other(`listing ${place}`, { cachedVoteStatus }));
    const lastVotes = Object.fromEntries(many.slice(0, 500).map(({ name }) => [name, start - hour]));
    expect(await labelsOf(canvote.execute(inputOf(), contextWith(lastVotes, ...many)))).toEqual([
      'Remind me',
      ...[500, 501, 502, 503].map((place) => `Vote for The listing ${place}`),
    ]);
    expect(lookups).toBeLessThanOrEqual(8);
  });

  it('are not offered for another member', async () => {
    const context = contextWith({}, other('bot'));
    expect(await labelsOf(canvote.execute(inputOf({ user: otherMemberId }), context))).toEqual([]);
  });

  it('are named as configured if they have no name, and left out if they have no page', async () => {
    const nameless = other('harbour', {
      cachedProfile: { ...server, name: ' \u200B ', url: 'https://listing.example' },
    });
    const context = contextWith({}, nameless, other('hidden', { cachedProfile: { ...server, url: null } }));
    expect(await labelsOf(canvote.execute(inputOf(), context))).toEqual(['Remind me', 'Vote for harbour']);
  });

  it('send no request if their pages are known, and do not delay the reply if they are not', async () => {
    const requested: string[] = [];
    const profile = (name: string, response: Promise<typeof server>) => () => {
      requested.push(name);
      return response;
    };
    const context = contextWith(
      {},
      other('known', { profile: profile('known', Promise.resolve(server)) }),
      { name: 'stuck', lookup: fakeLookup('server', { profile: profile('stuck', new Promise(() => {})) }) },
      { name: 'new', lookup: fakeLookup('server', { profile: profile('new', Promise.resolve(server)) }) },
    );
    const pending = labelsOf(canvote.execute(inputOf(), context));
    await wait(5);
    await context.clock.advance(100);
    expect(await pending).toEqual(['Remind me', 'Vote for The known', 'Vote for Lantern Harbour']);
    expect(requested).toEqual(['stuck', 'new']);
  });

  it('are left out if the ledger cannot be read', async () => {
    const context = contextWith({}, other('bot'));
    const standings = { ...context.standings, lastVotes: () => Promise.reject(new Error('database is locked')) };
    expect(await labelsOf(canvote.execute(inputOf(), { ...context, standings }))).toEqual(['Remind me']);
  });

  it('have labels that Discord accepts', async () => {
    const context = contextWith({}, other(`*${'n'.repeat(200)}`));
    const { components } = renderReply(await canvote.execute(inputOf(), context), 'canvote');
    const label = JSON.stringify(components).match(/"label":"(Vote for [^"]*)"/)?.[1] ?? '';
    expect(label).toMatch(/^Vote for The \*n+…$/);
    expect(label).toHaveLength(80);
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

  it('has its kind as its name, or what people call it if there are several of its kind', async () => {
    const of = (kind: 'server' | 'bot', name: string, shown: string) => {
      return { name, displayName: () => shown, lookup: fakeLookup(kind, {}) };
    };
    const typed = { ...inputOf(), option: 'listing', typed: '' } as const;
    const servers = [of('server', 'harbour', 'Lantern Harbour'), of('server', 'quay', 'Lamplighter')];
    expect(await canvote.autocomplete(typed, contextFor(...servers, of('bot', 'lamp', 'Lamplighter')))).toEqual([
      { name: 'Lantern Harbour', value: 'harbour' },
      { name: 'Lamplighter', value: 'quay' },
      { name: 'bot', value: 'bot' },
    ]);
    const bots = [of('bot', 'lamp', 'Lamplighter'), of('bot', 'keeper', 'Keeper')];
    expect((await canvote.autocomplete(typed, contextFor(...servers, ...bots))).map(({ name }) => name)).toEqual([
      ...['Lantern Harbour', 'Lamplighter (server)', 'Lamplighter (bot)', 'Keeper'],
    ]);
  });
});
