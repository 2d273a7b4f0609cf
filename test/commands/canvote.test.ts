import { hour, minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import { claim } from '../../commands/claim.ts';
import { remind } from '../../commands/remind.ts';
import { reviews } from '../../commands/reviews.ts';
import { stats } from '../../commands/stats.ts';
import type { LastVotes } from '../../src/core/ledger/account.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import type { Reply, ReplyButton } from '../../src/discord/commands/reply.ts';
import { renderReply } from '../../src/discord/rendering/message.ts';
import { withDisplayName } from '../../src/features/communities/lookup-clients.ts';
import type { CachedVoteStatus } from '../../src/lookup/lookup.ts';
import { createSiteLookup } from '../../src/lookup/sites/site-client.ts';
import { bot, contextFor, fakeLookup, inputOf, otherMemberId, server, start } from '../support/command-fixture.ts';
import { json } from '../support/fake-service.ts';
import { siteFixture } from '../support/site-fixture.ts';

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
  it('reports that the member can vote, with a button to the page', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(serverWith({ ...free, lastVoteAt: start - 13 * hour })));
    expect(reply).toMatchObject({
      tone: 'good',
      text: `You can vote for **Lantern Harbour** now.\nLast vote: <t:${(start - 13 * hour) / 1_000}:R>`,
      buttons: [{ kind: 'link', url: 'https://listing.example/server/1' }],
    });
  });

  it('reports the next and the last vote, with a button to the page', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(serverWith(waiting)));
    expect(reply.text).toContain(`<t:${(start + 11 * hour) / 1_000}:R>`);
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
    expect(reply.buttons).toEqual([{ kind: 'link', label: 'Vote', url: 'https://listing.example/server/1' }]);
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

  it('replies without a button when the profile is not available', async () => {
    const lookup = fakeLookup('server', { voteStatus: () => free });
    const reply = await canvote.execute(inputOf(), contextFor({ name: 'server', lookup }));
    expect(reply).toMatchObject({ tone: 'good', text: 'You can vote for **this server** now.', buttons: [] });
  });

  it('has a timeout for the profile', async () => {
    const lookup = fakeLookup('server', { voteStatus: () => free, profile: () => new Promise(() => {}) });
    const context = contextFor({ name: 'server', lookup });
    const pending = canvote.execute(inputOf(), context);
    await eventually(() => expect(context.clock.sleepers()).toBeGreaterThan(0));
    await context.clock.advance(600);
    expect((await pending).tone).toBe('good');
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
    expect(reply).toMatchObject({
      tone: 'wait',
      text: expect.stringContaining('voted for **Lantern Harbour** recently'),
    });
    expect(reply.text).not.toContain('<t:');
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

  it('have buttons under "Not yet" after "Remind me" and "Vote", unless the ledger or the cache knows a cooldown', async () => {
    const context = contextWith(
      { voted: start - hour, daily: start - 13 * hour, past: start - 13 * hour },
      ...[other('voted'), other('daily'), other('past'), other('new')],
      other('cached', { cachedVoteStatus: () => waiting }),
      other('free', { cachedVoteStatus: () => free }),
    );
    const reply = await canvote.execute(inputOf(), context);
    expect(reply.buttons).toEqual([
      { kind: 'action', command: 'remind', action: 'on', label: 'Remind me' },
      { kind: 'link', label: 'Vote', url: 'https://listing.example/server/1' },
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
      ...['Remind me', 'Vote'],
      ...[500, 501, 502, 503].map((place) => `Vote for The listing ${place}`),
    ]);
    expect(lookups).toBeLessThanOrEqual(8);
  });

  it('are named as configured if they have no name, and left out if they have no page', async () => {
    const nameless = other('harbour', {
      cachedProfile: { ...server, name: ' \u200B ', url: 'https://listing.example' },
    });
    const context = contextWith({}, nameless, other('hidden', { cachedProfile: { ...server, url: null } }));
    expect(await labelsOf(canvote.execute(inputOf(), context))).toEqual(['Remind me', 'Vote', 'Vote for harbour']);
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
    await eventually(() => expect(context.clock.sleepers()).toBeGreaterThan(0));
    await context.clock.advance(100);
    expect(await pending).toEqual(['Remind me', 'Vote', 'Vote for The known', 'Vote for Lantern Harbour']);
    expect(requested).toEqual(['stuck', 'new']);
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

const stamp = (at: number) => `<t:${at / 1_000}:R>`;
const votedOf = (at: number, hours = 12) => ({ at, nextVoteAt: at + hours * hour });
const iso = (at: number) => new Date(at).toISOString();
const linksOf = (buttons: readonly ReplyButton[] = []) =>
  buttons.map((button) => (button.kind === 'link' ? `${button.label} ${button.url}` : button.label));

/** A listing on another site, without an API unless the site is played. */
function listingOn(
  site: string,
  { displayName, ...options }: Partial<Parameters<typeof createSiteLookup>[0]> & { readonly displayName?: string } = {},
): ListedLookup {
  const name = `purr-${site.toLowerCase().replaceAll(/\W/g, '')}`;
  const lookup = createSiteLookup({
    kind: 'bot',
    id: null,
    page: `https://${site}/vote`,
    client: null,
    lastVote: async () => null,
    cooldownMs: 12 * hour,
    clock: contextFor().clock,
    observe() {},
    observeAge() {},
    ...options,
  });
  const named = withDisplayName(lookup, { note() {}, find: async () => {}, displayName: () => displayName ?? name });
  return { name, lookup: named, site: { id: site, name: site } };
}

const service: ListedLookup = {
  name: 'server',
  lookup: fakeLookup('server', {
    profile: async () => server,
    voteStatus: () => ({ canVote: true, lastVoteAt: null, nextVoteAt: null }),
  }),
};

describe('/canvote in a community with listings on several sites', () => {
  it('shows all listings by whether the member may vote, with a link to each', async () => {
    const votedAt = start - hour;
    const listings = [service, listingOn('top.gg'), listingOn('disurl.me', { lastVote: async () => votedOf(votedAt) })];
    const reply = await canvote.execute(inputOf(), contextFor(...listings));
    expect(reply.text).toBe(
      [
        'You can vote for **Lantern Harbour** now.',
        'You can perhaps vote for **purr-topgg** on top.gg: the site does not say whether you have voted.',
        `You can vote for **purr-disurlme** on disurl.me again ${stamp(votedAt + 12 * hour)}.`,
      ].join('\n'),
    );
    expect(reply).toMatchObject({ tone: 'good', title: 'Ready to vote' });
    expect(linksOf(reply.buttons)).toEqual([
      'Vote for Lantern Harbour https://listing.example/server/1',
      'Vote on top.gg https://top.gg/vote',
      'Vote on disurl.me https://disurl.me/vote',
    ]);
  });

  it('counts a vote that only the API of the site knows', async () => {
    const { client, clock, service: site } = await siteFixture({ site: 'topgg' });
    const votedAt = clock.now() - 2 * hour;
    const listing = listingOn('top.gg', { client, clock });
    const context = { ...contextFor(listing, service), clock };
    site.respondWith(json(200, { created_at: iso(votedAt), expires_at: iso(votedAt + 12 * hour), weight: 1 }));
    expect((await canvote.execute(inputOf(), context)).text).toContain(`again ${stamp(votedAt + 12 * hour)}`);
    await clock.advance(11 * hour);
    site.respondWith(json(404, {}));
    const reply = await canvote.execute(inputOf(), context);
    expect(reply.text).toBe(
      'You can vote for **purr-topgg** on top.gg, **Lantern Harbour** now.'.replaceAll('**, **', ', '),
    );
    await clock.advance(2 * minute);
    site.respondWith(json(503, {}));
    expect((await canvote.execute(inputOf(), context)).text).toContain(
      'You can perhaps vote for **purr-topgg** on top.gg: the site does not say whether you have voted.',
    );
  });

  it('does not ask a site while the ledger knows a vote', async () => {
    const { client, clock, service: site } = await siteFixture({ site: 'topgg' });
    const listing = listingOn('top.gg', { client, clock, lastVote: async () => votedOf(clock.now() - hour, 7) });
    const reply = await canvote.execute(inputOf(), { ...contextFor(listing), clock });
    expect(reply).toMatchObject({ tone: 'wait', text: expect.stringContaining(stamp(clock.now() + 6 * hour)) });
    expect(linksOf(reply.buttons)).toEqual(['Vote on top.gg https://top.gg/vote']);
    expect(site.requests).toEqual([]);
  });

  it('asks no site about another member, but says what is known', async () => {
    const { client, clock, service: site } = await siteFixture({ site: 'topgg' });
    const standings = { ...contextFor().standings, lastVotes: async () => ({ 'purr-disurlme': clock.now() - hour }) };
    const listings = [listingOn('top.gg', { client, clock }), listingOn('disurl.me')];
    const context = { ...contextFor(...listings), clock, standings };
    const again = async (stated: Awaited<ReturnType<typeof context.nextVotesOf>>) =>
      (await canvote.execute(inputOf({ user: otherMemberId }), { ...context, nextVotesOf: async () => stated })).text;
    const textWith = (at: number) =>
      `<@${otherMemberId}> can perhaps vote for **purr-topgg** on top.gg: the site does not say who has voted.\n` +
      `<@${otherMemberId}> can vote for **purr-disurlme** on disurl.me again ${stamp(at)}.`;
    expect(await again([])).toBe(textWith(clock.now() + 11 * hour));
    const stated = { listing: 'purr-disurlme', votedAt: clock.now() - hour, nextVoteAt: clock.now() + 3 * hour };
    expect(await again([stated])).toBe(textWith(clock.now() + 3 * hour));
    expect(site.requests).toEqual([]);
  });

  it('does not wait for a slow site', async () => {
    const slow: ListedLookup = {
      ...listingOn('top.gg'),
      lookup: { ...listingOn('top.gg').lookup, voteStatus: () => new Promise(() => {}) },
    };
    const context = contextFor(slow, service);
    const reply = canvote.execute(inputOf(), context);
    await context.clock.advance(3_000);
    expect((await reply).text).toContain(
      'You can perhaps vote for **purr-topgg** on top.gg: the site does not say whether you have voted.',
    );
  });

  it('offers reminders if the member has to wait everywhere', async () => {
    const listing = listingOn('top.gg', { lastVote: async () => votedOf(start - hour) });
    const reply = await canvote.execute(inputOf(), { ...contextFor(listing), commands: [remind] });
    expect(linksOf(reply.buttons)).toEqual(['Vote on top.gg https://top.gg/vote', 'Remind me']);
  });

  it('names the listings on the buttons if several are on a site, and shows one alone if it is chosen', async () => {
    const listings = [listingOn('top.gg'), { ...listingOn('top.gg'), name: 'other' }];
    const reply = await canvote.execute(inputOf(), contextFor(...listings));
    expect(linksOf(reply.buttons)).toEqual(Array(2).fill('Vote for purr-topgg https://top.gg/vote'));
    const chosen = await canvote.execute(inputOf({ listing: 'other' }), contextFor(...listings));
    expect(linksOf(chosen.buttons)).toEqual(['Vote on top.gg https://top.gg/vote']);
  });

  it('escapes the names, has no button without a page, and at most 25 buttons', async () => {
    const many = Array.from({ length: 30 }, (_, index) => listingOn(`site${index}.example`));
    const odd = listingOn('*evil* @everyone', { page: null });
    const reply = await canvote.execute(inputOf(), { ...contextFor(odd, ...many), commands: [remind] });
    expect(reply.text).not.toContain('*evil*');
    expect(reply.buttons).toHaveLength(24);
  });
});

describe('a listing on another site', () => {
  const bot = listingOn('top.gg');

  it('serves the commands about votes, and has no reviews', () => {
    expect([canvote, claim, stats].every(({ isServedBy }) => isServedBy([bot]))).toBe(true);
    expect(reviews.isServedBy([listingOn('top.gg', { kind: 'server' })])).toBe(false);
  });

  it('has the name of the settings, and the vote page of the site', async () => {
    const reply = await stats.execute(inputOf(), contextFor(bot));
    expect(reply).toMatchObject({ title: 'purr-topgg', url: 'https://top.gg/vote' });
  });
});
