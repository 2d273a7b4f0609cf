import { existsSync } from 'node:fs';
import { seededMembers, seededOwner } from 'listing-service';
import { browser } from 'listing-service/testing/discord-browser';
import { controlsOf, type Message, textsOf } from 'local-discord';
import { follow } from 'local-discord/testing/page-client';
import { describe, expect, it, vi } from 'vitest';
import { stepsOf, timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';
const vote = { kind: 'server', userId: mira, username: 'mira' } as const;
const settled = ({ isSettled }: { isSettled: boolean }) => isSettled;

describe('a delivery in the timeline', { timeout: 20_000 }, () => {
  it('receives its steps from the first byte to the announcement, or to where it ends', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery, items } = timelineOf(sandbox);
    const credits = async () => (await sandbox.app.ledger.account(mira))?.credits;
    const { faultInjection } = sandbox;
    expect(await faultInjection.sendInvalidSignature(mira)).toMatchObject({ status: 401 });
    const refused = await delivery(settled);
    expect(stepsOf(refused)).toEqual(['received', 'refused']);
    expect(refused.steps[1]?.text).toContain('Rejected (401): The signature does not match.');
    expect(await credits()).toBeUndefined();

    await sandbox.service.castVote(vote);
    const done = await delivery(({ id, isSettled }) => id === 2 && isSettled);
    expect(done.title).toBe('Server vote by mira');
    expect(stepsOf(done)).toEqual(['received', 'verified', 'recorded', 'credited', 'announced']);
    expect(done.steps.map(({ text }) => text).slice(-2)).toEqual(['+10 credits', 'Announced in #votes']);
    const times = done.steps.map(({ afterMs }) => afterMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const ids = items.flatMap((item) => (item.kind === 'delivery' ? [item.id] : []));
    expect(new Set(ids).size).toBe(2);

    expect(await faultInjection.resendLast()).toEqual({ status: 200, body: { received: true, outcome: 'duplicate' } });
    const repeated = await delivery(({ id, isSettled }) => id === 3 && isSettled);
    expect([repeated.title, stepsOf(repeated)]).toEqual([done.title, ['received', 'verified', 'duplicate']]);
    expect(await credits()).toBe(10);

    await faultInjection.sendUnknownEvent(mira);
    const kept = await delivery(({ id, isSettled }) => id === 4 && isSettled);
    expect(kept.title).toBe('“server_boost” by mira');
    expect(stepsOf(kept)).toEqual(['received', 'verified', 'quarantined']);
  });

  it.each([
    ['no channel is chosen', { announceChannelId: undefined }],
    ['votes are not announced', { announcements: { mode: 'none' } }],
  ] as const)('ends with its credits if %s', async (_reason, listingSettings) => {
    const sandbox = await wholeSandbox({ listingSettings, seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    await sandbox.service.castVote(vote);
    const done = await delivery(settled);
    expect(stepsOf(done)).toEqual(['received', 'verified', 'recorded', 'credited', 'unannounced']);
    expect(done.steps.at(-1)?.text).toMatch(/^Not announced: no channel is chosen, or /);
  });
});

describe('the service in the sandbox', { timeout: 20_000 }, () => {
  const answers = (url: string) =>
    fetch(url).then(
      ({ status }) => status,
      () => 'refused',
    );

  it('is unreachable during an outage and available again afterwards', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const back = new Promise((resolve) =>
      sandbox.events.on('simulation', () => sandbox.outages.service.isDown || resolve(null)),
    );
    sandbox.outages.service.begin(300);
    expect(await answers(`${sandbox.urls.service}/`)).toBe('refused');
    await back;
    expect(await answers(`${sandbox.urls.service}/`)).toBe(200);
  });
});

describe('a sandbox started from code', { timeout: 20_000 }, () => {
  it('needs no options, returns its addresses, has one picture of the server, and leaves no files behind', async () => {
    const sandbox = await wholeSandbox();
    expect(existsSync(sandbox.directory)).toBe(true);
    for (const url of [sandbox.urls.page, `${sandbox.urls.service}/`, `${sandbox.urls.bot}/readyz`]) {
      expect((await fetch(url)).status).toBe(200);
    }
    // Without the option for a history.
    expect((await sandbox.app.ledger.standings('all', 'votes')).members).toEqual([]);
    const icon = await fetch(`${sandbox.urls.service}/listings/${sandbox.discord.guildId}/icon`);
    expect(icon.headers.get('content-type')).toBe('image/png');
    const picture = `data:image/png;base64,${Buffer.from(await icon.arrayBuffer()).toString('base64')}`;
    const state = await (await follow(sandbox.urls.page))(({ kind }) => kind === 'full_state');
    expect(state).toMatchObject({ guild: { name: 'Lantern Harbour', picture } });
    await sandbox.stop();
    expect(existsSync(sandbox.directory)).toBe(false);
    await sandbox.stop();
  });
});

describe('the owner of the guild of the sandbox', { timeout: 30_000 }, () => {
  it.each([undefined, 'none'] as const)(
    'owns both listings, and edits them after signing in (seed %s)',
    async (seed) => {
      const { discord, service, urls } = await wholeSandbox(seed ? { seed } : {});
      const [owner] = discord.members;
      expect(owner?.id).toBe(mira);
      expect((await service.listings()).map(({ ownerId }) => ownerId)).toEqual([mira, mira]);
      const visitor = browser();
      const { location } = await visitor.open(`${urls.service}/sign-in/discord?next=/dashboard`);
      const body = new URLSearchParams({ user: mira, decision: 'authorize' });
      await visitor.open((await visitor.open(location, { method: 'POST', body })).location);
      const { text } = await visitor.open(`${urls.service}/dashboard`);
      for (const name of ['Lantern Harbour', 'Quartermaster']) expect(text).toContain(name);
      expect(await visitor.open(`${urls.service}/dashboard/${discord.guildId}`)).toMatchObject({ status: 200 });
    },
  );
});

describe('a voter who is not in the guild', { timeout: 30_000 }, () => {
  it('has a name on the page, in the timeline and on Discord', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const state = await (await follow(sandbox.urls.page))(({ kind }) => kind === 'full_state');
    const strangers = new Map(
      (state['strangers'] as readonly { id: string; name: string }[]).map(({ id, name }) => [id, name]),
    );
    for (const { userId, username } of [seededOwner, ...seededMembers]) {
      const isMember = sandbox.discord.members.some(({ id }) => id === userId);
      expect(strangers.get(userId)).toBe(isMember ? undefined : username);
    }
    const { userId, username } = seededOwner;
    await sandbox.service.castVote({ kind: 'server', userId, username });
    const { title } = await delivery(({ isSettled }) => isSettled);
    expect(title).toBe(`Server vote by ${username}`);
    // The bot may have used up the rate limit of its first second.
    await vi.waitFor(async () => {
      const response = await fetch(`${sandbox.discord.apiUrl}/v10/users/${userId}`, {
        headers: { authorization: `Bot ${sandbox.discord.token}` },
      });
      expect(await response.json()).toMatchObject({ id: userId, username });
    }, 5_000);
    // A stranger is no member, and cannot act on the page.
    expect(() => sandbox.discord.guild.rejoin(userId)).toThrow('Only a user who has left can join again');
    const { general } = sandbox.discord.channels;
    expect(() => sandbox.discord.runCommand({ name: 'help', userId, channelId: general })).toThrow(
      'cannot see this channel',
    );
  });
});

const patience = { timeout: 20_000, interval: 50 };

it('an owner connects the bot to the listing service with seven clicks, and pastes nothing', {
  timeout: 60_000,
}, async () => {
  const sandbox = await wholeSandbox({ linked: false, seed: 'none' });
  const { discord, service } = sandbox;
  const [owner, other] = discord.members;
  if (owner === undefined || other === undefined) throw new Error('no members');
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('setup'), patience);
  let clicks = 0;
  const click = <Value>(value: Value): Value => {
    clicks += 1;
    return value;
  };
  const { general, announcements } = discord.channels;
  const controlOf = ({ components }: Message, name: string) => {
    const control = controlsOf(components).find((each) => JSON.stringify(each).includes(name));
    if (control === undefined) throw new Error(`no ${name} in ${JSON.stringify(components)}`);
    return control;
  };

  const message = await click(discord.runCommand({ name: 'setup', userId: owner.id, channelId: general })).settled;
  const connect = controlOf(message, '"Connect"');
  const link = 'url' in connect ? String(connect.url) : '';
  expect(link.length).toBeLessThanOrEqual(512);

  const visitor = browser();
  const { location: consentUrl } = await click(visitor.open(link));
  const { location: signInPath } = await visitor.open(consentUrl);
  const signIn = await visitor.open(sandbox.urls.service + signInPath);
  const [, start = ''] = /href="(\/sign-in\/discord[^"]+)"/.exec(signIn.text) ?? [];
  const { location: ofDiscord } = await click(visitor.open(sandbox.urls.service + start));
  const body = new URLSearchParams({ user: owner.id, decision: 'authorize' });
  const { location: back } = await click(visitor.open(ofDiscord, { method: 'POST', body }));
  const { location: next } = await visitor.open(back);
  expect(sandbox.urls.service + next.replace(/\?.*/, '')).toBe(consentUrl);
  const page = await visitor.open(consentUrl);
  const { origin } = new URL(link);
  expect(page.text).toContain(`<strong>${origin}</strong>`);
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${origin};`);
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
  const decision = new URLSearchParams({ token, decision: 'connect' });
  const { location: callback } = await click(visitor.open(consentUrl, { method: 'POST', body: decision }));
  expect(callback.startsWith(`${origin}/connect/callback?code=code_`)).toBe(true);
  const done = await visitor.open(callback);
  expect(done.text).toContain('Your listing is connected, and its test has arrived.');
  expect(done.headers.get('referrer-policy')).toBe('no-referrer');

  // The panel in Discord has turned green.
  const current = () => discord.messages(general, owner.id).find(({ id }) => id === message.id) ?? message;
  await vi.waitFor(() => expect(textsOf(current().components).join()).toContain('The test has arrived'), patience);
  const channels = controlOf(current(), 'Choose the channel');
  const chosen = click(
    discord.select({
      messageId: message.id,
      customId: 'custom_id' in channels ? (channels.custom_id ?? '') : '',
      userId: owner.id,
      values: [announcements],
    }),
  );
  const simple = controlOf(await chosen.settled, '"Simple"');
  const ready = click(discord.clickButton(message.id, simple.custom_id ?? '', owner.id));
  expect(textsOf((await ready.settled).components).join()).toContain('From now on, votes are rewarded');
  expect(clicks).toBe(7);

  // A vote is rewarded, and the listing is looked up with the new key.
  const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
  await service.castVote({ listingId: server?.id ?? '', userId: other.id, username: other.username });
  await vi.waitFor(() => expect(JSON.stringify(discord.messages(announcements))).toContain(other.id), patience);
  const again = await visitor.open(callback);
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('expired or was used')]);
  // With its listing, the guild is not offered it again, and an older link ends.
  const later = await discord.runCommand({ name: 'setup', userId: owner.id, channelId: general }).settled;
  expect(JSON.stringify(later.components)).not.toContain(`${origin}/connect/`);
  expect((await visitor.open(link)).text).toContain('This server has a listing already');
});
