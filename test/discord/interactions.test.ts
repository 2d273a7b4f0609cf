import { minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { markup } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import { award } from '../../commands/award.ts';
import { canvote } from '../../commands/canvote.ts';
import { credits } from '../../commands/credits.ts';
import { trace } from '../../commands/trace.ts';
import { applicationId } from '../../packages/local-discord/src/default-guild.ts';
import type { CommandInput } from '../../src/discord/commands/command.ts';
import { registerCommands } from '../../src/discord/registration/registration.ts';
import { LookupError } from '../../src/lookup/lookup-error.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';
import { command, connectedBot, hello, itThroughGateway, take, until } from '../support/bot.ts';
import { fakeLookup } from '../support/command-fixture.ts';
import { firstCommunity } from '../support/communities.ts';

const en = textsIn('en-US');

const ephemeral = 1 << 6;
const ignoredIn = (logged: readonly { readonly msg: string }[]) =>
  logged.filter(({ msg }) => msg === 'interaction of another program ignored');

describe('a slash command', () => {
  it('receives the options, and who ran it where', async () => {
    const inputs: CommandInput[] = [];
    const say = command({
      execute: async (input) => {
        inputs.push(input);
        return hello;
      },
    });
    const { discord, run, member, other } = await connectedBot([say]);
    const used = run('say', { user: other.id });
    await used.settled;
    expect(inputs).toMatchObject([
      {
        options: { user: other.id },
        resolved: { users: { [other.id]: { name: expect.any(String), isBot: false } }, channels: {}, roles: {} },
        action: null,
        values: [],
        fields: {},
        userId: member.id,
        displayName: 'Mira',
        guildId: discord.guildId,
        channelId: discord.channels.general,
        roles: discord.rolesOf(member.id),
        isManager: true,
        interactionId: used.id,
        applicationId,
        locale: 'en-US',
        guildLocale: 'en-US',
        canAttachFiles: true,
      },
    ]);
    expect(discord.rolesOf(member.id)).toHaveLength(1);
  });

  it('is told which of the chosen users are bots, and refuses these where members are meant', async () => {
    const listings = [{ name: 'server', lookup: fakeLookup('server', {}) }];
    const { discord, run, store, other } = await connectedBot([award, credits, canvote], { listings });
    const bot = discord.applicationId;
    for (const use of [
      run('award', { user: bot, credits: 10, reason: 'thanks' }),
      run('credits', { user: bot }),
      run('canvote', { user: bot }),
    ]) {
      const { embeds, flags } = await use.settled;
      expect(embeds[0]?.description).toBe(`<@${bot}> is a bot. Bots do not vote and have no credits.`);
      expect(flags & ephemeral).toBe(ephemeral);
    }
    expect(await store.standingsIn(firstCommunity, 'UTC').standing(bot, 0)).toMatchObject({ credits: 0 });
    const given = await run('award', { user: other.id, credits: 10, reason: 'thanks' }).settled;
    expect(given.embeds[0]?.description).toContain('10');
  });

  it('is answered ephemerally if it is private, deferred or not', async () => {
    const quick = command({ name: 'quick', visibility: 'private', execute: async () => hello });
    const clock = manualClock();
    const slow = command({
      name: 'slow',
      visibility: 'private',
      execute: () => take(clock, 1_200).then(() => hello),
    });
    const { discord, run } = await connectedBot([quick, slow], { clock });
    for (const name of ['quick', 'slow']) await run(name).settled;
    expect(discord.messages(discord.channels.general)).toEqual([]);
  });

  it('is deferred only if it takes longer than a second', async () => {
    const clock = manualClock();
    const slow = command({ name: 'slow', execute: () => clock.sleep(1_001).then(() => hello) });
    const brisk = command({ name: 'brisk', execute: () => clock.sleep(999).then(() => hello) });
    const { run } = await connectedBot([slow, brisk], { clock });
    const [deferred, direct] = [run('slow'), run('brisk')];
    await until(() => clock.sleepers() === 4);
    await clock.advance(999);
    expect(await direct.response).toMatchObject({ type: 4 });
    await clock.advance(1);
    expect(await deferred.response).toMatchObject({ type: 5 });
    await clock.advance(1);
    expect((await deferred.settled).embeds[0]?.description).toBe(hello.text);
  });

  it('that never ends is answered before the interaction expires', async () => {
    const stuck = command({ execute: () => new Promise(() => {}) });
    const clock = manualClock();
    const { run } = await connectedBot([stuck], { clock });
    const used = run('say');
    await until(() => clock.sleepers() === 1);
    await clock.advance(second);
    expect(await used.response).toMatchObject({ type: 5 });
    await until(() => clock.sleepers() === 1);
    await clock.advance(15 * minute);
    expect((await used.settled).embeds[0]?.description).toMatch(/^This took too long\. Please try again <t:\d+:R>\.$/);
  });

  it('answers a failed lookup ephemerally with the time to retry', async () => {
    const retryAt = Date.UTC(2030, 0, 1);
    const failing = command({
      execute: () => Promise.reject(new LookupError('lookup_rate_limited', '429', { retryAt })),
    });
    const { discord, run, logged } = await connectedBot([failing]);
    const answer = await run('say').settled;
    expect(answer.embeds[0]?.description).toContain(`<t:${retryAt / 1_000}:R>`);
    expect(answer.flags & ephemeral).toBe(ephemeral);
    expect(discord.messages(discord.channels.general)).toEqual([]);
    expect(logged).toContainEqual(expect.objectContaining({ code: 'lookup_rate_limited', hint: expect.any(String) }));
  });

  it('that throws answers with an incident id that is also in the log', async () => {
    const broken = command({
      execute: () => {
        throw new Error('the inner secret of the matter');
      },
    });
    const { run, logged } = await connectedBot([broken]);
    const text = (await run('say').settled).embeds[0]?.description ?? '';
    expect(text).not.toContain('secret');
    const incident = /\*\*(\w{6})\*\*/.exec(text)?.[1];
    expect(logged).toContainEqual(
      expect.objectContaining({
        incident,
        err: expect.objectContaining({ message: 'the inner secret of the matter' }),
      }),
    );
  });

  it('that Discord still lists but no key can serve is answered with an explanation', async () => {
    let isServed = true;
    const gone = command({ isServedBy: () => isServed, execute: async () => hello });
    const { run } = await connectedBot([gone], {
      async before({ discord, ...registration }) {
        await registerCommands({
          ...registration,
          guildId: null,
          commands: [gone],
          context: { listings: [], isShared: false, languages: ownTexts },
        });
        isServed = false;
        discord.faults.respond500(10, /^DELETE/);
      },
    });
    const answer = await run('say').settled;
    expect(answer.embeds[0]?.description).toContain('No listing is linked to this server yet');
    expect(answer.flags & ephemeral).toBe(ephemeral);
  });

  it('of another program gets no response, whatever its name is and wherever it is registered', async () => {
    const inputs: unknown[] = [];
    const say = command({
      execute: async (input) => {
        inputs.push(input);
        return hello;
      },
    });
    const other = command({ name: 'other', execute: async () => hello });
    const stopwatch = manualClock();
    const { run, logged } = await connectedBot([say, other], {
      stopwatch,
      async before({ rest, applicationId }) {
        await rest.post(`/applications/${applicationId}/commands`, { name: 'play', description: 'Plays a song.' });
        await rest.post(`/applications/${applicationId}/commands`, { name: 'say', description: 'Says another thing.' });
      },
    });
    const unanswered = [run('play'), run('say')].map(({ response }) => expect(response).rejects.toThrow('respond'));
    await until(() => ignoredIn(logged).length === unanswered.length);
    await stopwatch.advance(3 * second);
    await Promise.all(unanswered);
    expect(inputs).toEqual([]);
    expect((await run('other').settled).embeds).toHaveLength(1);
    expect(logged.filter(({ level }) => level >= 40)).toEqual([
      expect.objectContaining({ command: 'say', hint: expect.stringContaining('bot token') }),
    ]);
  });

  itThroughGateway('of a deploy script is answered although its id is not stored yet', async () => {
    const answers: unknown[] = [];
    const say = command({ execute: async () => hello });
    await connectedBot([say], {
      async before({ rest, applicationId, discord }) {
        const { description, options } = say.describe({ listings: [], isShared: false, texts: en });
        const body = { name: 'say', description, options: [{ ...options[0], type: 6 }] };
        await rest.post(`/applications/${applicationId}/commands`, body);
        discord.events.on('change', (change) => {
          if (change.kind !== 'gateway' || !change.connected || answers.length > 0) return;
          const [member] = discord.members;
          const use = { name: 'say', userId: member?.id ?? '', channelId: discord.channels.general };
          answers.push(discord.runCommand(use).settled);
        });
      },
    });
    expect(await Promise.all(answers)).toMatchObject([{ embeds: [{ description: hello.text }] }]);
  });

  itThroughGateway(
    'whose response is too late for Discord is logged, counted as failed, and does not affect others',
    async () => {
      const stopwatch = manualClock();
      const commands = [command({ execute: async () => hello })];
      const { discord, run, logged, counted } = await connectedBot(commands, { stopwatch });
      const sleepers = stopwatch.sleepers();
      discord.faults.slow(3_500);
      const late = expect(run('say').settled).rejects.toThrow();
      // The deadline, and the response that is on its way.
      await until(() => stopwatch.sleepers() === sleepers + 2);
      await stopwatch.advance(3_500);
      await late;
      discord.faults.clear();
      expect((await run('say').settled).embeds).toHaveLength(1);
      await until(() => counted.length === 2);
      expect(counted.toSorted()).toEqual(['say answered', 'say failed']);
      expect(logged.some(({ level }) => level >= 60)).toBe(false);
    },
  );
});

describe('a page button', () => {
  const pages = command({
    name: 'book',
    hasPages: true,
    execute: async ({ options }) => ({
      tone: 'plain',
      text: markup`Page ${markup`${options['page'] === '2' ? markup`two` : markup`one`}`}`,
      buttons: [
        { kind: 'page', label: 'Previous', disabled: true, options: { page: 0 } },
        { kind: 'page', label: 'Next', disabled: false, options: { page: 2 } },
      ],
    }),
  });

  it('turns the page of the message it is on', async () => {
    const { discord, run, member } = await connectedBot([pages]);
    const first = await run('book').settled;
    const clicked = discord.clickButton(first.id, 'tallyhook:book:page=2', member.id);
    expect(await clicked.response).toMatchObject({ type: 7 });
    expect(discord.messages(discord.channels.general).map(({ embeds }) => embeds[0]?.description)).toEqual([
      'Page two',
    ]);
  });

  const plain = (inputs: unknown[]) =>
    command({
      name: 'plain',
      execute: async (input) => {
        inputs.push(input);
        return hello;
      },
    });

  it('or a select of another program gets no response', async () => {
    const inputs: unknown[] = [];
    const stopwatch = manualClock();
    const { discord, rest, member, logged } = await connectedBot([pages, plain(inputs)], { stopwatch });
    const ids = ['other:page=2', 'plain:page=2', 'book:page=2', 'reviews:page=2', 'rubbish', ':', '{"a":1}'];
    const buttons = ids.slice(0, 5).map((id) => ({ type: 2, style: 2, label: 'Press', custom_id: id }));
    const others = ids.slice(5).map((id) => ({ type: 2, style: 2, label: 'Press', custom_id: id }));
    const select = { type: 3, custom_id: 'pick', options: [{ label: 'One', value: '1' }] };
    const posted = (await rest.post(`/channels/${discord.channels.general}/messages`, {
      content: 'x',
      components: [buttons, others, [select]].map((components) => ({ type: 1, components })),
    })) as { id: string };
    const used = [
      ...ids.map((id) => discord.clickButton(posted.id, id, member.id)),
      discord.select({ messageId: posted.id, customId: 'pick', userId: member.id, values: ['1'] }),
    ];
    const rejections = Promise.all(used.map(({ response }) => expect(response).rejects.toThrow('respond')));
    await until(() => ignoredIn(logged).length === used.length);
    await stopwatch.advance(3 * second);
    await rejections;
    expect(inputs).toEqual([]);
    expect(logged.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe('a command in the menu of a member', () => {
  const hostile = '@everyone **[x](https://evil.example)** <@&1>';

  async function withMenus() {
    const connected = await connectedBot([credits, award, trace]);
    const { discord, member, other } = connected;
    const use = (name: string, by = member.id, targetId = other.id, channelId = discord.channels.general) =>
      discord.runUserCommand({ name, userId: by, targetId, channelId });
    return { ...connected, use };
  }

  it.each([
    ['Credits', 'credits'],
    ['Trace votes', 'trace'],
  ])('%s answers the member who uses it alone, as /%s does', async (menu, name) => {
    const { use, run, other } = await withMenus();
    const message = await use(menu).settled;
    expect(message.flags & ephemeral).toBe(ephemeral);
    expect(message.interaction_metadata).toMatchObject({ target_user: { id: other.id } });
    expect(message.embeds).toEqual((await run(name, { user: other.id }).settled).embeds);
    expect(JSON.stringify(message.embeds)).toContain(`<@${other.id}>`);
  });

  it('Award credits asks for credits and a reason, and pays them once, whatever the reason is', async () => {
    const { use, discord, member, other, store } = await withMenus();
    const opened = use('Award credits');
    expect(await opened.response).toMatchObject({ type: 9, data: { title: 'Award credits' } });
    const submit = (values: Record<string, string>, interactionId = opened.id) =>
      discord.submitModal({ interactionId, userId: member.id, values }).settled;
    const { embeds, flags } = await submit({ credits: '25', reason: hostile });
    expect(flags & ephemeral).toBe(ephemeral);
    expect(embeds[0]?.description).toContain(`<@${other.id}> now has **25** credits (+25).`);
    expect(embeds[0]?.description).not.toMatch(/@everyone|<@&1>|\]\(https:/);
    const again = use('Award credits');
    await again.response;
    const refused = await submit({ credits: '1e400', reason: 'x' }, again.id);
    expect(refused.embeds[0]?.description).toContain('whole number of credits');
    expect((await store.ledgerIn(firstCommunity).account(other.id)).credits).toBe(25);
  });

  it('is for managers where its command is, also if a guild shows it to everyone', async () => {
    const { use, discord, other, member, rest, store } = await withMenus();
    expect(() => use('Trace votes', other.id, member.id)).toThrow('You do not have permission to use Trace votes');
    expect(() => use('Award credits', other.id, member.id)).toThrow('You do not have permission');
    for (const { id } of discord.commands().filter(({ type }) => type === 2)) {
      const path = `/applications/${discord.applicationId}/commands/${id}` as const;
      await rest.patch(path, { default_member_permissions: null });
    }
    for (const name of ['Trace votes', 'Award credits']) {
      const used = use(name, other.id, member.id);
      expect((await used.settled).embeds[0]?.description).toContain('Manage Server');
    }
    expect((await use('Credits', other.id, member.id).settled).embeds[0]?.title).toBe('Credits');
    expect((await store.ledgerIn(firstCommunity).account(member.id)).credits).toBe(0);
  });

  it('knows that a bot has no account, and works outside the guild only where its command does', async () => {
    const { use, discord, member, other } = await withMenus();
    for (const name of ['Credits', 'Award credits']) {
      const { embeds } = await use(name, member.id, discord.applicationId).settled;
      expect(embeds[0]?.description).toContain('bot');
    }
    const elsewhere = discord.channels.otherGuild;
    expect((await use('Credits', member.id, other.id, elsewhere).settled).embeds[0]?.title).toBe('Credits');
    expect(() => use('Trace votes', member.id, other.id, elsewhere)).toThrow('cannot be used in this channel');
  });

  it("leaves another program's user and message commands alone, also with the name of a slash command", async () => {
    const { discord, use, logged, counted, rest, other, run } = await withMenus();
    const route = `/applications/${discord.applicationId}/commands` as const;
    await rest.post(route, { type: 2, name: 'credits' });
    const theirs = use('credits');
    await until(() => ignoredIn(logged).length === 1);
    expect(counted).toEqual([]);
    expect(theirs.messages).toEqual([]);
    expect((await run('credits', { user: other.id }).settled).embeds[0]?.title).toBe('Credits');
  });
});
