import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it } from 'vitest';
import { isEntryForm } from '../../../commands/setup/form.ts';
import { setupSections } from '../../../commands/setup/sections.ts';
import { settingAt, settings } from '../../../src/features/settings.ts';
import { ownerToken, startTwoCommunities } from '../../support/two-communities.ts';

/** Mira is signed in, and fills in the forms of her server's settings as a browser without JavaScript does. */
async function startSettings() {
  const world = await startTwoCommunities();
  const browser = world.openBrowser();
  await browser.signIn(world.mira.id);
  const page = `servers/${world.guilds.harbour}/settings`;

  /** The fields of the form with this button, as they are on the page. */
  function fieldsOf(text: string, button: string): Record<string, string> {
    const form = text.split('<form').find((each) => each.includes(`>${button}</button>`)) ?? '';
    const inputs = [...form.matchAll(/<input ([^>]*)>/g)].flatMap(([, attributes = '']) => {
      const get = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
      const isOff = /type="(checkbox|radio)"/.test(attributes) && !attributes.includes('checked');
      const name = get('name');
      return name === undefined || isOff ? [] : [[name, get('value') ?? '']];
    });
    const selects = [...form.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
      ([, name = '', options = '']) => [name, /value="([^"]*)" selected/.exec(options)?.[1] ?? ''],
    );
    return Object.fromEntries([...inputs, ...selects]);
  }

  /** Opens the form that a link leads to, and sends it with other values. */
  async function edit(name: string, changes: Record<string, string>, button: string) {
    const { text } = await browser.open(`${page}?a=edit&o.f=${name}&o.l=harbour`);
    return browser.send(page, { ...fieldsOf(text, button), ...changes });
  }

  return { ...world, browser, page, fieldsOf, edit };
}

describe('settings in the console', { timeout: 30_000 }, () => {
  const started = sharedByTests(startSettings);

  it('are changed by the forms of /setup, with the author, and are undone', async () => {
    const { browser, page, edit, fieldsOf, mira } = started();
    expect((await browser.open(page)).location).toContain('settings/');
    expect((await browser.open(`${page}/channels`)).text).toContain('Rewards');
    const saved = await edit('credits', { 't.vote': '25' }, 'Save');
    expect(saved.text).toContain('not set → <strong>25</strong> credits');
    const history = await browser.open(`${page}?a=history`);
    expect(history.text).toContain(`title="${mira.id}"`);
    expect(history.text).toContain('@Mira');
    const undo = fieldsOf(history.text, 'Undo');
    expect((await browser.send(page, { ...undo, token: 'forged' })).status).toBe(403);
    expect((await browser.send(page, undo)).text).toContain('Undone');
    expect((await browser.open(`${page}/rewards`)).text).not.toContain('name="t.vote" value="25"');
  });

  it('have every field of a section on one page, which is saved as a whole', async () => {
    const { browser, page, fieldsOf } = started();
    for (const section of setupSections.filter(({ forms }) => forms.length > 0)) {
      const { text } = await browser.open(`${page}/${section.id}`);
      const names = [...text.matchAll(/ id="(field-[^"]*)"/g)].map(([, id]) => id);
      expect(new Set(names).size, section.id).toBe(names.length);
      for (const path of section.forms.filter((form) => !isEntryForm(form)).flatMap(({ paths }) => paths)) {
        for (const { name } of settingAt(path).fields ?? []) expect(text, path).toContain(`id="field-${name}`);
      }
    }
    const rewards = fieldsOf((await browser.open(`${page}/rewards`)).text, 'Save');
    const changed = { 't.vote': '15', 't.streakDays': '7', 't.streakCredits': '50', 't.goal': '100' };
    const saved = await browser.send(`${page}/rewards`, { ...rewards, ...changed });
    expect(saved.text).toMatch(/role="status"[\s\S]*Per vote[\s\S]*Streak[\s\S]*Vote party/);
    const rejected = await browser.send(`${page}/rewards`, { ...rewards, 't.vote': '16', 't.goal': 'all' });
    expect(rejected.text).toMatch(/role="alert"[\s\S]*Not saved yet/);
    expect(rejected.text).toContain('name="t.goal" value="all"');
    expect((await browser.open(`${page}/rewards`)).text).toContain('name="t.vote" value="15"');
    const undone = await browser.send(page, fieldsOf(saved.text, 'Undo'));
    expect(undone.text).toMatch(/<h1>Rewards<\/h1>[\s\S]*role="status"[\s\S]*Undone/);
    expect(undone.text).toContain('name="t.streakDays" value=""');
  });

  it('have lists as tables, whose entries are added, changed and removed, each of which is undone', async () => {
    const { browser, page, fieldsOf } = started();
    const rowsOf = async (section: string) => {
      const { text } = await browser.open(`${page}/${section}`);
      return [...text.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, row = '']) => {
        const cells = [...row.matchAll(/<td data-name="([^"]*)"[^>]*>(.*?)<\/td>/gs)];
        return Object.fromEntries(cells.map(([, name, cell = '']) => [name, cell.replace(/<[^>]*>/g, '')]));
      });
    };
    const entry = async (section: string, path: string, more: string, fields: Record<string, string>) => {
      const { text } = await browser.open(`${page}?a=edit&o.s=${section}&o.p=${path}&o.l=harbour${more}`);
      return browser.send(page, { ...fieldsOf(text, 'Save'), ...fields });
    };
    await entry('rewards', 'rewards.milestones', '', { 't.votes': '10', 't.milestoneCredits': '100' });
    await entry('rewards', 'rewards.milestones', '', {
      't.votes': '5',
      't.repeats': 'week',
      't.milestoneCredits': '20',
    });
    expect(await rowsOf('rewards')).toEqual([
      { 'Number of votes': '10', 'How often?': 'Once, at this number', Credits: '100' },
      { 'Number of votes': '5', 'How often?': 'Week', Credits: '20' },
    ]);
    await entry('rewards', 'rewards.milestones', '&o.e=1', { 't.milestoneCredits': '30' });
    expect((await rowsOf('rewards'))[1]).toMatchObject({ Credits: '30' });
    const { text } = await browser.open(`${page}/rewards`);
    const removal = text.split('<form').findLast((each) => each.includes('>Remove</button>')) ?? '';
    const removed = await browser.send(`${page}/rewards`, fieldsOf(`<form${removal}`, 'Remove'));
    expect(await rowsOf('rewards')).toHaveLength(1);
    await browser.send(page, fieldsOf(removed.text, 'Undo'));
    expect(await rowsOf('rewards')).toHaveLength(2);

    // All forms of an item are one page, and what is entered as a code is on no page again.
    const codes = { 't.itemName': 'Key', 't.price': '5', 't.codes': 'SECRET-1', 't.stock': 'many' };
    const rejected = await entry('shop', 'shop', '&o.k=codes', codes);
    expect(rejected.text).toContain('value="many"');
    expect(rejected.text).not.toContain('SECRET-1');
    await entry('shop', 'shop', '&o.k=codes', { ...codes, 't.stock': '3' });
    expect(await rowsOf('shop')).toEqual([{ Name: 'Key', 'Price in credits': '5', 'How many can be sold': '3' }]);
    await entry('shop', 'shop', '&o.e=0', { 'b.remove': '1' });
    expect(await rowsOf('shop')).toEqual([]);
  });

  it('say what changed rules would have paid in the last 30 days', async () => {
    const { post, edit, mira, first } = started();
    await post('harbour', { event: 'server_vote', userId: mira.id, serverId: first.guildId });
    const saved = await edit('credits', { 't.vote': '1234' }, 'Save');
    expect(saved.text).toContain('these rules would have paid <strong>1,234</strong> credits (before: 10).');
  });

  it('say before they are saved what rules would have paid', async () => {
    const { browser, page, fieldsOf } = started();
    const { text } = await browser.open(`${page}?a=edit&o.f=credits&o.l=harbour`);
    expect(text).toContain('data-preview="./settings/preview"');
    const preview = async (vote: string) => {
      const answer = await browser.send(`${page}/preview`, { ...fieldsOf(text, 'Save'), 't.vote': vote });
      return (JSON.parse(answer.text) as { html: string }).html;
    };
    expect(await preview('4321')).toContain('would have paid <strong>4,321</strong> credits (before: 1,234).');
    // Nothing for what is in effect, or not valid.
    expect([await preview('1234'), await preview('many'), await preview('-5')]).toEqual(['', '', '']);
    expect((await browser.open(`${page}/rewards`)).text).toContain('name="t.vote" value="1234"');
  });

  it('accept channels of the own server only, and change nothing by a link', async () => {
    const { browser, page, edit, first, guilds } = started();
    const foreign = `${guilds.bees.slice(0, -2)}31`;
    const channelFields = ['announceChannel', 'premiumChannel', 'ownerChannel'];
    const channelPaths = settings.filter((spec) => 'isChannel' in spec).map(({ path }) => path);
    const post = async (fields: Record<string, string>) => {
      const token = await browser.formToken(`${page}?a=post-panel`);
      return browser.send(page, { token, i: crypto.randomUUID(), 'o.l': 'harbour', ...fields });
    };
    for (const text of [foreign, `role ${guilds.bees}`, 'confirmation bees', '..', 'x'.repeat(15_900), '\0']) {
      const importing = (path: string, id: unknown) =>
        post({ a: 'imported', 't.settings': JSON.stringify({ listings: [{ name: 'harbour', [path]: id }] }) });
      for (const refused of [
        ...(await Promise.all(channelFields.map((name) => edit('channels', { [`m.${name}`]: text }, 'Save')))),
        await post({ a: 'panel-channel', value: text }),
        await post({ a: 'channel', value: text }),
        ...(await Promise.all(channelPaths.flatMap((path) => [text, [text], 5].map((id) => importing(path, id))))),
      ]) {
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not a channel of this server')]);
      }
    }
    for (const role of [guilds.bees, 'role', `${guilds.harbour.slice(0, -2)}99`]) {
      const refused = await edit('roles', { 'm.voterRole': role }, 'Save');
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('no such role')]);
    }
    const saved = await edit('channels', { 'm.announceChannel': first.channels.announcements }, 'Save');
    expect(saved.text).toContain('#votes');
    for (const action of ['submit', 'undo', 'reset', 'unlinked', 'nothing']) {
      expect((await browser.open(`${page}?a=${action}&o.l=harbour&o.f=credits&t.vote=99`)).status).toBe(404);
    }
  });

  it('have a preview of announcements with what a form says, which saves nothing', async () => {
    const { browser, page, fieldsOf } = started();
    const form = async (name: string) => {
      const { text } = await browser.open(`${page}?a=edit&o.f=${name}&o.l=harbour`);
      return fieldsOf(text, 'Save');
    };
    const preview = async (fields: Record<string, string>) => {
      const { status, text } = await browser.send(`${page}/preview`, fields);
      expect(status).toBe(200);
      return (JSON.parse(text) as { html: string }).html;
    };
    const text = { ...(await form('text')), 't.title': 'Ahoy <b>', 't.text': '{mention} for <#1>, **{listing}**' };
    const shown = await preview(text);
    expect(shown).toContain('<strong>Ahoy &#60;b&#62;</strong>');
    expect(shown).toContain('title="200000000000000001">@ada</bdi> for');
    const [, first = ''] = /data-message="([^"]*)"/.exec(shown) ?? [];
    const drawn = JSON.parse(first.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))));
    expect(drawn.message.embeds[0]).toMatchObject({
      title: 'Ahoy <b>',
      description: expect.stringContaining('**harbour**'),
    });
    expect(new Set(Object.values(drawn.names))).toEqual(new Set(['1', 'ada']));
    expect(await preview({ ...text, 't.title': '{nothing}', 'm.language': 'de' })).toContain('Danke fürs Voten!');
    expect(await preview({ ...(await form('style')), 't.mode': 'digest' })).toContain('a digest');
    expect((await browser.open(`${page}/announcements`)).text).not.toContain('Ahoy');
    expect((await browser.send(`${page}/preview`, { ...text, token: 'forged' })).status).toBe(403);
    expect((await browser.send(`${page}/preview`, { ...text, 'o.f': 'roles' })).status).toBe(404);
    expect((await browser.send(`${page}/preview`, { ...text, 'o.l': 'bees' })).status).toBe(404);
  });

  it('are of one server, and not of that of somebody else', async () => {
    const { browser, guilds } = started();
    expect((await browser.open(`servers/${guilds.bees}/settings`)).status).toBe(403);
    const export_ = await browser.open(`servers/${guilds.harbour}/settings?a=export`);
    expect(export_.headers.get('content-disposition')).toContain('tallyhook-settings.json');
    expect(export_.text).not.toContain('bees');
  });

  it('with any text break no page: neither their own, nor that on which the operator sees all listings', async () => {
    const { edit, browser, page, guilds, openBrowser, lines } = started();
    const operator = openBrowser();
    await operator.send('sign-in', { ownerToken });
    const times = ['9999999999999', '-9999999999999', '8640000000001', '-8640000000001', '0', '253402300800'];
    const ofTimes = times.map(
      (time) => `<t:${time}> ${['t', 'T', 'd', 'D', 'f', 'F', 'R', 'x'].map((s) => `<t:${time}:${s}>`).join('')}`,
    );
    const others = [
      `<@${'9'.repeat(20)}><@&0><#1><:a:${'9'.repeat(20)}></x:1>`,
      `${'> '.repeat(300)}x`,
      '**__~~||*_`'.repeat(40),
      '[a](https://x.example/)'.repeat(20),
      '\ud83d \udc80 \0 __proto__',
    ];
    for (const text of [...ofTimes, ...others]) {
      const saved = await edit('text', { 't.title': text.slice(0, 200), 't.text': text }, 'Save');
      expect(saved.status, text).toBe(200);
      for (const path of [`${page}/announcements`, `${page}?a=history`]) {
        expect((await browser.open(path)).status, `${path} ${text}`).toBe(200);
      }
      for (const path of ['', 'changes', `servers/${guilds.harbour}/settings/announcements`]) {
        expect((await operator.open(path)).status, `${path} ${text}`).toBe(200);
      }
    }
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
