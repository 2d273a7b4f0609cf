import { hour, minute, second } from '@tallyhook/platform/durations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it } from 'vitest';
import { startTwoCommunities } from '../../support/two-communities.ts';

/** Mira is signed in, and manages the first of two servers. */
async function startManaged() {
  const world = await startTwoCommunities();
  const browser = world.openBrowser();
  await browser.signIn(world.mira.id);
  const ofServer = `servers/${world.guilds.harbour}`;

  /** What a form of the settings shows, and what comes of saving it with these values. */
  async function openForm(name: string) {
    const page = `${ofServer}/settings`;
    const { text } = await browser.open(`${page}?a=edit&o.f=${name}&o.l=harbour`);
    const form = text.split('<form').find((each) => each.includes('>Save</button>')) ?? '';
    const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, field = '', value = '']) => [field, value]));
    return { form, save: (changes: Record<string, string>) => browser.send(page, { ...fields, ...changes }) };
  }
  const vote = (name: 'harbour' | 'bees', userId: string, at = world.clock.now()) =>
    world.post(name, { event: 'server_vote', userId, timestamp: new Date(at).toISOString() });
  return { ...world, browser, ofServer, openForm, vote };
}

describe('guards in the console', { timeout: 30_000 }, () => {
  const started = sharedByTests(startManaged);

  it('are set in a form, which shows all of them again', async () => {
    const { openForm, first, tomas } = started();
    const { form, save } = await openForm('guards');
    expect(form).toContain('Blocked users');
    const role = first.roles.veteran;
    const saved = await save({
      ...{ 'm.minAccountAge': '30d', 't.blocked': `<@${tomas.id}>,\n200000000000000009 `, 'm.hiddenRoles': role },
    });
    expect(saved.text).toContain('accounts from 30 days');
    expect(saved.text).toContain('on no leaderboard');
    const again = (await openForm('guards')).form;
    expect(again).toContain(`${tomas.id}\n200000000000000009</textarea>`);
    expect(again).toContain(`value="${role}" selected`);
    expect(again).toContain('value="30d" selected');
    const rejected = await (await openForm('guards')).save({ 't.blocked': 'Tomas' });
    expect(rejected.text).toContain('Blocked users');
    expect(rejected.text).toContain('Not saved yet');
  });

  it('say why a vote was refused, and have it paid with a click', async () => {
    const { browser, ofServer, vote, tomas } = started();
    expect(await vote('harbour', tomas.id)).toMatchObject({ outcome: 'recorded' });
    const list = await browser.open(`${ofServer}/deliveries?user=${tomas.id}`);
    expect(list.text).toContain('paid nothing');
    const [, id = ''] = /deliveries\/(\d+)"/.exec(list.text) ?? [];
    const page = `${ofServer}/deliveries/${id}`;
    const { text } = await browser.open(page);
    expect(text).toContain('This user is blocked by the guards');
    expect(text).toContain('Pay it all the same');
    const token = await browser.formToken(page);
    expect((await browser.send(`${page}/replay`, { token })).location).toContain('replayed-recorded');
    const paid = (await browser.open(page)).text;
    expect(paid).toContain('It was recorded once, and paid');
    expect(paid).not.toContain('Pay it all the same');
    expect((await browser.send(`${page}/replay`, { token })).location).toContain('replayed-duplicate');
  });

  it('list the accounts of the own server that vote like a clock', async () => {
    const { browser, ofServer, vote, clock, mira, aiko } = started();
    const robots = { harbour: '200000000000000021', bees: '200000000000000022' };
    const start = clock.now() - 20 * 13 * hour;
    for (let index = 0; index < 14; index += 1) {
      const at = start + index * 13 * hour;
      await vote('harbour', robots.harbour, at + (index % 2) * 3 * second);
      await vote('harbour', mira.id, at + (index % 2) * 2 * minute);
      await vote('bees', robots.bees, at);
    }
    const { text } = await browser.open(`${ofServer}/`);
    expect(text).toContain('Votes like a clock');
    expect(text).toContain(robots.harbour);
    expect(text).toContain('12:59:57 – 13:00:03');
    expect(text).not.toContain(robots.bees);
    const [, card = ''] = text.split('Votes like a clock');
    expect(card.split('</section>')[0]).not.toContain(mira.id);
    const other = started().openBrowser();
    await other.signIn(aiko.id);
    const elsewhere = (await other.open(`servers/${started().guilds.bees}/`)).text;
    expect(elsewhere).toContain(robots.bees);
    expect(elsewhere).not.toContain(robots.harbour);
  });
});
