import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import { claim } from '../../commands/claim.ts';
import { remind } from '../../commands/remind.ts';
import { reviews } from '../../commands/reviews.ts';
import { stats } from '../../commands/stats.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import type { ReplyButton } from '../../src/discord/commands/reply.ts';
import { withDisplayName } from '../../src/features/communities/lookup-clients.ts';
import { LookupError } from '../../src/lookup/lookup-error.ts';
import { createSiteLookup } from '../../src/lookup/sites/site-client.ts';
import { contextFor, fakeLookup, inputOf, memberId, otherMemberId, server, start } from '../support/command-fixture.ts';
import { json } from '../support/fake-service.ts';
import { siteFixture } from '../support/site-fixture.ts';

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
        'You can perhaps vote for **purr-topgg (top.gg)**: the site does not say whether you have voted.',
        `You can vote for **purr-disurlme (disurl.me)** again ${stamp(votedAt + 12 * hour)}.`,
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
      'You can vote for **purr-topgg (top.gg)**, **Lantern Harbour** now.'.replaceAll('**, **', ', '),
    );
    await clock.advance(2 * minute);
    site.respondWith(json(503, {}));
    expect((await canvote.execute(inputOf(), context)).text).toContain(
      'You can perhaps vote for **purr-topgg (top.gg)**: the site does not say whether you have voted.',
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
      `<@${otherMemberId}> can perhaps vote for **purr-topgg (top.gg)**: the site does not say who has voted.\n` +
      `<@${otherMemberId}> can vote for **purr-disurlme (disurl.me)** again ${stamp(at)}.`;
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
      'You can perhaps vote for **purr-topgg (top.gg)**: the site does not say whether you have voted.',
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

  it('names a listing once that has the name of its site', async () => {
    const reply = await canvote.execute(inputOf(), contextFor(service, listingOn('disurl', { displayName: 'disurl' })));
    expect(reply.text).toContain('You can perhaps vote for **disurl**: the site does not say whether you have voted.');
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

  it('does not say that a member may vote, if the site lists only the last ones', async () => {
    const { client, clock, service: site } = await siteFixture({ site: 'discordbotlist' });
    site.respondWith(json(200, { upvotes: [], total: 1 }));
    const { lookup } = listingOn('discordbotlist.com', { client, clock });
    expect(await lookup.voteStatus(memberId).catch((error: unknown) => error)).toMatchObject({
      value: { canVote: true },
    });
    const latest = { user_id: otherMemberId, timestamp: iso(clock.now() - minute) };
    site.respondWith(json(200, { upvotes: [latest], total: 2 }));
    await clock.advance(2 * minute);
    expect(await lookup.voteStatus(memberId).catch((error: unknown) => error)).toBeInstanceOf(LookupError);
  });
});
