import { hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { vote } from '../../commands/vote.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import type { Panel } from '../../src/discord/commands/reply.ts';
import { withDisplayName } from '../../src/features/communities/lookup-clients.ts';
import { createSiteLookup } from '../../src/lookup/sites/site-client.ts';
import { connectedBot } from '../support/bot.ts';
import { contextFor, fakeLookup, inputOf, server, start } from '../support/command-fixture.ts';
import { textOf } from '../support/message-text.ts';

const stamp = (at: number) => `<t:${at / 1_000}:R>`;

/** A listing on the service with this name, for which the member can vote again at a time; null for now. */
function listed(name: string, nextVoteAt: number | null = null, url: string | null = server.url): ListedLookup {
  const profile = async () => ({ ...server, name, url });
  const voteStatus = () => ({ canVote: nextVoteAt === null, lastVoteAt: null, nextVoteAt });
  return { name: name.toLowerCase(), lookup: fakeLookup('server', { profile, voteStatus }) };
}

/** A listing on a site that does not tell who has voted. */
function silent(site: string): ListedLookup {
  const displayName = () => 'Purr';
  const siteLookup = createSiteLookup({
    ...{ kind: 'bot', id: null, page: `https://${site}/vote`, client: null, cooldownMs: 12 * hour },
    ...{ lastVote: async () => null, clock: contextFor().clock, observe() {}, observeAge() {} },
  });
  const lookup = withDisplayName(siteLookup, { note() {}, find: async () => {}, displayName });
  return { name: 'purr', displayName, lookup, site: { id: site, name: site }, isSilent: true };
}

/** The rows of a reply, each with where its button leads. */
function rowsOf({ blocks }: Panel) {
  return blocks.flatMap((block) => {
    if (block.kind === 'section') return [[block.text, block.button.kind === 'link' ? block.button.url : null]];
    return block.kind === 'text' ? [[block.text, null]] : [];
  });
}

describe('/vote', () => {
  it('has a row for each listing: what can be voted for now, perhaps, and later, the soonest first', async () => {
    const listings = [
      listed('Late', start + 9 * hour),
      silent('top.gg'),
      listed('Soon', start + hour),
      { name: 'gone', lookup: fakeLookup('bot', {}) },
      listed('Free', null, 'https://listing.example/free'),
    ];
    const panel = await vote.execute(inputOf(), contextFor(...listings));
    expect(panel).toMatchObject({ tone: 'good', title: 'Ready to vote' });
    expect(rowsOf(panel)).toEqual([
      ['You can vote for **Free** now.', 'https://listing.example/free'],
      [
        'You can perhaps vote for **Purr** on top.gg: the site does not say whether you have voted.',
        'https://top.gg/vote',
      ],
      ['You can perhaps vote for **this bot**: the site does not say whether you have voted.', null],
      [`You can vote for **Soon** again ${stamp(start + hour)}.`, server.url],
      [`You can vote for **Late** again ${stamp(start + 9 * hour)}.`, server.url],
    ]);
  });

  it('says so if there is nothing to vote for', async () => {
    const panel = await vote.execute(inputOf(), contextFor(listed('Late', start + hour)));
    expect(panel).toMatchObject({ tone: 'wait', title: 'Not yet' });
  });

  it('shows more listings than a message has room for on pages, to the member alone, whatever they are called', async () => {
    const hostile = '@everyone **[x](https://evil.example)** <@&1>';
    const listings = Array.from({ length: 23 }, (_, index) =>
      listed(`${hostile} ${index}`, null, `https://listing.example/${index}`),
    );
    const { discord, run, member } = await connectedBot([vote], { listings });
    const first = await run('vote').settled;
    expect(first.flags & 64).toBe(64);
    expect(first.mentions).toEqual([]);
    const linksIn = (message: typeof first) =>
      controlsOf(message.components).filter((control) => 'url' in control && control.url !== undefined);
    expect(linksIn(first)).toHaveLength(10);
    expect(textOf(first)).toContain('page 1 of 3');
    expect(textOf(first)).not.toMatch(/@everyone|<@&1>|\]\(https:/);
    let message = first;
    for (const links of [10, 3]) {
      const next = controlsOf(message.components).findLast(
        (control) => control.custom_id?.startsWith('tallyhook:vote:') && !control.disabled,
      );
      message = await discord.clickButton(message.id, next?.custom_id ?? '', member.id).settled;
      expect(message.id).toBe(first.id);
      expect(linksIn(message)).toHaveLength(links);
    }
    expect(textOf(message)).toContain(' 22');
  });
});
