import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { authenticate, signDelivery } from '../../../src/webhook/sites/authenticate.ts';
import { createDescribedSite } from '../../../src/webhook/sites/described-site.ts';
import { linkableSites, service, siteIds, sites } from '../../../src/webhook/sites/index.ts';
import { readDelivery, type SitePayload } from '../../../src/webhook/sites/read-delivery.ts';
import type { Site } from '../../../src/webhook/sites/site.ts';
import { bodies, target, topggVersion1, votedAt, voter } from './bodies.ts';

const now = votedAt + 2_000;
const secret = 'whs_a secret of the site';

function siteOf(id: string): Site {
  const site = sites.find((each) => each.id === id);
  if (site === undefined) throw new Error(`No site ${id}`);
  return site;
}

/** What a signed delivery of the site is read as. */
function read(
  site: Site,
  body: unknown,
  { kind = 'bot', scheme = site.schemes.at(-1) }: { kind?: 'server' | 'bot'; scheme?: Site['schemes'][number] } = {},
): SitePayload {
  if (scheme === undefined) throw new Error('No scheme');
  const signed = signDelivery(scheme, JSON.stringify(body), secret, now);
  const headers = new Map(Object.entries(signed.headers));
  const delivery = { readHeader: (name: string) => headers.get(name), body: Buffer.from(signed.body) };
  const sender = authenticate(site, delivery, { secrets: [secret] }, now);
  if ('error' in sender) throw new Error(sender.error);
  return readDelivery(site, JSON.parse(sender.content), { kind, id: target }, { now, scheme: sender.scheme });
}

const documented = [
  ...linkableSites.map(({ id, schemes }) => ({ id, label: id, scheme: schemes.at(-1), ...bodies[id] })),
  { id: 'topgg', label: 'topgg, version 1', scheme: siteOf('topgg').schemes[0], ...topggVersion1 },
  { id: 'infinity', label: 'infinity, signed', scheme: siteOf('infinity').schemes[0], ...bodies['infinity'] },
].flatMap(({ scheme, kind = 'bot', votes = [], tests = [], others = [], ...rest }) =>
  scheme === undefined ? [] : [{ scheme, kind, votes, tests, others, ...rest }],
);

describe.each(documented)('$label', ({ id, scheme, kind, votes, tests, others }) => {
  const site = siteOf(id);

  it('reads the documented votes with the Discord ID of the voter', () => {
    expect(votes.length, `deliveries of ${id} in bodies.ts`).toBeGreaterThan(0);
    for (const body of votes) {
      const payload = read(site, body, { kind, scheme });
      expect(payload).toMatchObject({ type: 'event', event: { family: 'vote', kind: `${kind}_vote`, userId: voter } });
      expect(payload).toMatchObject({ event: { atSite: { weight: 1 }, creditsAwarded: null, denial: null } });
    }
  });

  it('reads tests, which pay nothing', () => {
    for (const body of tests) expect(read(site, body, { kind, scheme })).toMatchObject({ type: 'test', userId: voter });
  });

  it('ignores other events', () => {
    for (const body of others) expect(read(site, body, { kind, scheme })).toMatchObject({ type: 'ignored' });
  });

  it('quarantines a vote for another server or bot, and one without a voter', () => {
    for (const body of votes) {
      const text = JSON.stringify(body);
      if (text.includes(`"${target}"`) && id !== 'topdiscordlist')
        expect(
          read(site, JSON.parse(text.replaceAll(`"${target}"`, '"111111111111111111"')), { kind, scheme }),
        ).toMatchObject({
          type: 'unprocessable',
          reason: 'the vote is for another server or bot than the listing',
        });
      const unnamed = JSON.parse(text.replaceAll(`"${voter}"`, 'null'));
      expect(read(site, unnamed, { kind, scheme })).toMatchObject({ type: 'unprocessable' });
    }
  });
});

describe('the fields of a vote', () => {
  it.each([
    ['topgg', 0, { at: votedAt, atSite: { id: '808499215864008704', nextVoteAt: votedAt + 43_200_000 } }],
    ['topdiscordlist', 0, { at: votedAt, atSite: { id: 'vote_4b81e2', nextVoteAt: null } }],
    ['infinity', 0, { at: 1770598034_000, atSite: { id: null } }],
    ['discollab', 0, { at: votedAt, atSite: { nextVoteAt: votedAt + 43_200_000 } }],
    ['botradar', 0, { at: votedAt }],
    ['diffcord', 0, { at: null, atSite: { id: '6f1c7f0e-7d6c-4b8e-9d64-0c1e8f2a5b3d' } }],
    ['discordbotlist', 0, { at: null, atSite: { id: null, nextVoteAt: null } }],
  ])('of %s', (id, index, expected) => {
    const site = siteOf(id);
    const { votes = [], kind } = (id === 'topgg' ? topggVersion1 : bodies[id]) ?? { kind: 'bot' };
    expect(read(site, votes[index], { kind, scheme: site.schemes[0] })).toMatchObject({ event: expected });
  });

  it('has the weight of the site, at most 4, and 1 for one that is invalid', () => {
    const { data } = topggVersion1.votes[0] as { data: object };
    const weightOf = (weight: unknown) =>
      read(siteOf('topgg'), { type: 'vote.create', data: { ...data, weight } }, { scheme: siteOf('topgg').schemes[0] });
    for (const [weight, expected] of [
      [2, 2],
      [1.5, 1.5],
      [1e300, 4],
      [0, 1],
      [-3, 1],
      ['2', 1],
      [null, 1],
      [{}, 1],
    ])
      expect(weightOf(weight), JSON.stringify(weight)).toMatchObject({ event: { atSite: { weight: expected } } });
    const weekend = { bot: target, user: voter, type: 'upvote', isWeekend: true };
    expect(read(siteOf('topgg'), weekend)).toMatchObject({ event: { atSite: { weight: 2 } } });
    const double = { event: 'vote', guildId: target, double: true, user: { id: voter, discord: true } };
    expect(read(siteOf('guildsme'), double, { kind: 'server' })).toMatchObject({ event: { atSite: { weight: 2 } } });
  });

  it('ignores an end of the cooldown that is not after the vote, or years ahead', () => {
    const { data } = topggVersion1.votes[0] as { data: object };
    for (const expires_at of ['2026-02-09T00:47:14.251Z', '2031-02-09T00:47:14.251Z', 'soon', 5])
      expect(
        read(
          siteOf('topgg'),
          { type: 'vote.create', data: { ...data, expires_at } },
          { scheme: siteOf('topgg').schemes[0] },
        ),
      ).toMatchObject({ event: { atSite: { nextVoteAt: null } } });
  });
});

describe.each(sites.filter(({ id }) => id !== 'capture'))('the signer of $id', (site) => {
  it.each(site.kinds)('writes deliveries for a %s that the reader reads', (kind) => {
    for (const scheme of site.schemes) {
      // What a site writes is its newest form, of the strongest scheme.
      if (scheme !== site.schemes[0] && site.id === 'topgg') continue;
      const written = { kind, targetId: target, userId: voter, at: votedAt, id: '77', isTest: false } as const;
      const vote = read(site, site.write(written), { kind, scheme });
      if (site.id === 'discordlistgg') {
        expect(vote).toMatchObject({ type: 'unprocessable', reason: 'the fields of discordlist.gg are not known yet' });
        continue;
      }
      expect(vote).toMatchObject({ type: 'event', event: { userId: voter, kind: `${kind}_vote` } });
      const test = read(site, site.write({ ...written, isTest: true }), { kind, scheme });
      const hasTests = !['discordbotlist', 'guildsme'].includes(site.id);
      expect(test.type).toBe(hasTests ? 'test' : 'event');
    }
  });
});

describe('a site of the configuration', () => {
  const custom = createDescribedSite('custom', {
    name: 'My list',
    page: 'https://list.example/{slug}/vote?id={id}',
    header: 'X-Api-Key',
    user: 'user.id',
    target: 'bot',
    test: { field: 'type', is: 'test' },
  });

  it('is read by its paths', () => {
    const body = { bot: target, user: { id: voter }, type: 'vote' };
    expect(read(custom, body)).toMatchObject({ type: 'event', event: { userId: voter, target: { id: target } } });
    expect(read(custom, { ...body, type: 'test' })).toMatchObject({ type: 'test', userId: voter });
  });

  it('quarantines what may be a test', () => {
    for (const type of [true, 1, {}, ''])
      expect(read(custom, { bot: target, user: { id: voter }, type })).toMatchObject({ type: 'unprocessable' });
  });

  it('may mark nothing but tests', () => {
    expect(read(custom, { bot: target, user: { id: voter } })).toMatchObject({ type: 'event' });
  });

  it('has a page for listings with what its address needs', () => {
    expect(custom.votePage({ kind: 'bot', id: '1', slug: 'a b' })).toBe('https://list.example/a%20b/vote?id=1');
    expect(custom.votePage({ kind: 'bot', id: '1', slug: null })).toBeNull();
  });
});

it('all but the default one are documented in docs/sites.md', () => {
  const documented = readFileSync(new URL('../../../docs/sites.md', import.meta.url), 'utf8');
  for (const id of siteIds) if (id !== service.id) expect(documented).toContain(`| \`${id}\` |`);
});

it('vote pages are known, or null', () => {
  const pages = sites.map(({ id, votePage }) => [id, votePage({ kind: 'server', id: '1', slug: 's' })]);
  expect(Object.fromEntries(pages)).toMatchObject({
    topgg: 'https://top.gg/servers/1/vote',
    discordbotlist: 'https://discordbotlist.com/bots/s/upvote',
    infinity: 'https://omniplex.gg/server/1/vote',
    botradar: null,
    service: null,
  });
  expect(siteOf('topgg').votePage({ kind: 'bot', id: null, slug: 's' })).toBeNull();
});
