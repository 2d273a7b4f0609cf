import { describe, expect, it } from 'vitest';
import { RejectedByClientError } from '../src/errors.ts';
import { type Json, localDiscord, rest } from '../testing/local.ts';

const vote = { name: 'vote', description: 'Votes.' };

async function withCommands() {
  const discord = await localDiscord({ rateLimits: false });
  const ask = rest(discord);
  const global = `/applications/${discord.applicationId}/commands`;
  const guild = `/applications/${discord.applicationId}/guilds/${discord.guildId}/commands`;
  return { discord, ask, global, guild };
}

describe('registering commands', () => {
  it('adds, updates, lists and deletes commands per scope', async () => {
    const { ask, global, guild, discord } = await withCommands();
    const added = await ask('POST', global, vote);
    expect(added).toMatchObject({
      status: 201,
      json: { type: 1, name: 'vote', application_id: discord.applicationId },
    });
    expect(await ask('POST', global, { ...vote, description: 'Anew.' })).toMatchObject({
      status: 200,
      json: { id: added.id, description: 'Anew.' },
    });
    const one = `${global}/${added.id}`;
    expect(await ask('PATCH', one, { description: 'Again.' })).toMatchObject({
      json: { name: 'vote', description: 'Again.' },
    });
    const other = await ask('POST', global, { ...vote, name: 'other' });
    expect(await ask('PATCH', `${global}/${other.id}`, { name: 'vote' })).toMatchObject({
      status: 400,
      json: { code: 50035, errors: { name: { _errors: [{ code: 'APPLICATION_COMMANDS_DUPLICATE_NAME' }] } } },
    });
    expect(await ask('DELETE', `${global}/${other.id}`)).toMatchObject({ status: 204 });
    expect((await ask('GET', guild)).json).toEqual([]);
    expect((await ask('GET', global)).json).toHaveLength(1);
    expect(await ask('DELETE', one)).toMatchObject({ status: 204 });
    expect(await ask('GET', one)).toMatchObject({ status: 404, json: { code: 10063 } });
  });

  it('replaces all commands and keeps the ids of those with the same name', async () => {
    const { ask, guild } = await withCommands();
    const before = await ask('PUT', guild, [vote, { name: 'old', description: 'Goes.' }]);
    const after = await ask('PUT', guild, [{ name: 'new', description: 'Comes.' }, vote]);
    const idOf = ({ json }: { json: Json }, name: string) =>
      (json as unknown as { id: string; name: string }[]).find((each) => each.name === name)?.id;
    expect(idOf(after, 'vote')).toBe(idOf(before, 'vote'));
    expect(idOf(after, 'old')).toBe(undefined);
  });

  const option = { type: 3, name: 'word', description: 'A word.' };
  const many = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => make(index));

  it.each([
    ['an upper-case name', { ...vote, name: 'Vote' }, ['name'], 'APPLICATION_COMMAND_INVALID_NAME'],
    ['a name with a space', { ...vote, name: 'my vote' }, ['name'], 'APPLICATION_COMMAND_INVALID_NAME'],
    ['a name of 33', { ...vote, name: 'x'.repeat(33) }, ['name'], 'BASE_TYPE_MAX_LENGTH'],
    ['no description', { name: 'vote' }, ['description'], 'BASE_TYPE_REQUIRED'],
    ['a description of 101', { ...vote, description: 'x'.repeat(101) }, ['description'], 'BASE_TYPE_MAX_LENGTH'],
    [
      '26 options',
      { ...vote, options: many(26, (index) => ({ ...option, name: `o${index}` })) },
      ['options'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['no context', { ...vote, contexts: [] }, ['contexts'], 'BASE_TYPE_MIN_LENGTH'],
    ['no installation', { ...vote, integration_types: [] }, ['integration_types'], 'BASE_TYPE_MIN_LENGTH'],
    [
      'an option of an unknown type',
      { ...vote, options: [{ ...option, type: 12 }] },
      ['options', 0, 'type'],
      'UNION_TYPE_CHOICES',
    ],
    [
      'an option without a description',
      { ...vote, options: [{ ...option, description: '' }] },
      ['options', 0, 'description'],
      'BASE_TYPE_REQUIRED',
    ],
    [
      'the same option twice',
      { ...vote, options: [option, option] },
      ['options', 1],
      'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    ],
    [
      'a required option after an optional one',
      { ...vote, options: [option, { ...option, name: 'b', required: true }] },
      ['options', 1],
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      '26 choices',
      { ...vote, options: [{ ...option, choices: many(26, (index) => ({ name: `${index}`, value: `${index}` })) }] },
      ['options', 0, 'choices'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a choice of the wrong type',
      { ...vote, options: [{ ...option, choices: [{ name: 'one', value: 1 }] }] },
      ['options', 0, 'choices', 0, 'value'],
      'APPLICATION_COMMAND_OPTION_CHOICE_TYPE',
    ],
    [
      'a minimum above the maximum',
      { ...vote, options: [{ ...option, type: 4, min_value: 2, max_value: 1 }] },
      ['options', 0, 'max_value'],
      'NUMBER_TYPE_MIN',
    ],
    [
      'choices beside autocomplete',
      { ...vote, options: [{ ...option, autocomplete: true, choices: [{ name: 'a', value: 'a' }] }] },
      ['options', 0, 'autocomplete'],
      'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID',
    ],
    [
      'a subcommand beside an option',
      { ...vote, options: [{ type: 1, name: 'sub', description: 'Below.' }, option] },
      ['options'],
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ],
    ['a type that does not exist', { ...vote, type: 9 }, ['type'], 'BASE_TYPE_CHOICES'],
    ['a user command with a description', { ...vote, type: 2 }, ['description'], 'BASE_TYPE_CHOICES'],
    ['a user command with a name of 33', { type: 2, name: 'x'.repeat(33) }, ['name'], 'BASE_TYPE_MAX_LENGTH'],
    ['a user command with options', { type: 2, name: 'Vote', options: [option] }, ['options'], 'BASE_TYPE_MAX_LENGTH'],
    [
      'more than 8,000 characters',
      {
        ...vote,
        options: many(25, (index) => ({
          ...option,
          name: `o${index}`,
          choices: many(25, (choice) => ({ name: `${choice}`, value: 'x'.repeat(20) })),
        })),
      },
      [],
      'APPLICATION_COMMAND_TOO_LARGE',
    ],
  ])('rejects %s', async (_what, command, path, code) => {
    const { ask, global } = await withCommands();
    const { status, json } = await ask('PUT', global, [command]);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 50035 });
    const field = ['0', ...path].reduce<Json | undefined>((node, step) => node?.[step], json['errors']);
    expect(field?.['_errors']?.[0]?.['code']).toBe(code);
  });

  it('accepts spaces and capitals in names of user commands, of which one may have the name of a slash command', async () => {
    const { ask, global } = await withCommands();
    const menu = { type: 2, name: 'Trace Votes', name_localizations: { de: 'Vote-Verlauf' } };
    const put = await ask('PUT', global, [vote, menu, { type: 2, name: 'vote' }, { type: 3, name: 'vote' }]);
    expect(put.json).toMatchObject([{ type: 1 }, { ...menu, description: '' }, { type: 2 }, { type: 3 }]);
    const changed = await ask('POST', global, { type: 2, name: 'vote', default_member_permissions: '32' });
    expect(changed).toMatchObject({ status: 200, json: { id: put.json['2']?.['id'], type: 2 } });
    expect((await ask('GET', global)).json).toHaveLength(4);
    const others = many(16, (index) => ({ type: 2, name: `Menu ${index}` }));
    expect(await ask('PUT', global, others)).toMatchObject({ status: 400, json: { code: 30032 } });
  });

  it('rejects duplicate names and more than 100 commands', async () => {
    const { ask, global } = await withCommands();
    const twice = await ask('PUT', global, [vote, vote]);
    expect(twice.json['errors']?.['1']?.['_errors']?.[0]?.['code']).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
    const commands = many(101, (index) => ({ ...vote, name: `c${index}` }));
    expect(await ask('PUT', global, commands)).toMatchObject({ status: 400, json: { code: 30032 } });
  });

  it('accepts only its own application and guild', async () => {
    const { ask, discord } = await withCommands();
    expect(await ask('GET', '/applications/1/commands')).toMatchObject({ status: 404, json: { code: 10002 } });
    const elsewhere = `/applications/${discord.applicationId}/guilds/1/commands`;
    expect(await ask('PUT', elsewhere, [])).toMatchObject({ status: 403, json: { code: 50001 } });
  });
});

describe('the client of a member', () => {
  const commands = [
    {
      ...vote,
      options: [
        {
          type: 1,
          name: 'trace',
          description: 'Where it went.',
          options: [
            { type: 6, name: 'who', description: 'Whose.', required: true },
            { type: 4, name: 'limit', description: 'How many.', min_value: 1, max_value: 50 },
            { type: 3, name: 'sort', description: 'How.', choices: [{ name: 'newest first', value: 'newest' }] },
          ],
        },
      ],
    },
    { name: 'setup', description: 'For those who run it.', default_member_permissions: '8' },
  ];

  async function withHand() {
    const { discord, ask, global } = await withCommands();
    await ask('PUT', global, commands);
    const [owner, member] = discord.members.map(({ id }) => id) as [string, string];
    const run =
      (name: string, options: Record<string, string | number | boolean> = {}, userId = member) =>
      () =>
        discord.runCommand({ name, options, userId, channelId: discord.channels.general });
    return { discord, run, owner, member };
  }

  it('rejects invalid input before sending it', async () => {
    const { run, member } = await withHand();
    const who = member;
    expect(run('nonsense')).toThrow(RejectedByClientError);
    expect(run('vote')).toThrow('needs a subcommand');
    expect(run('vote other')).toThrow('has no subcommand other');
    expect(run('vote trace')).toThrow('The option who is required');
    expect(run('vote trace', { who: '1' })).toThrow('who is not a user');
    expect(run('vote trace', { who, what: 1 })).toThrow('has no option what');
    expect(run('vote trace', { who, limit: '5' })).toThrow('limit is not a number');
    expect(run('vote trace', { who, limit: 1.5 })).toThrow('limit is not a whole number');
    expect(run('vote trace', { who, limit: 0 })).toThrow('limit is less than 1');
    expect(run('vote trace', { who, limit: 51 })).toThrow('limit is more than 50');
    expect(run('vote trace', { who, sort: 'oldest' })).toThrow('sort is not one of the choices');
    expect(run('vote trace', { who, limit: 50, sort: 'newest' })).not.toThrow();
  });

  it('rejects commands without permission and channels without access', async () => {
    const { discord, run, owner, member } = await withHand();
    expect(run('setup')).toThrow('You do not have permission to use /setup');
    expect(run('setup', {}, owner)).not.toThrow();
    expect(() => discord.runCommand({ name: 'setup', userId: member, channelId: '1' })).toThrow(
      'cannot see this channel',
    );
    expect(() => discord.runCommand({ name: 'setup', userId: '1', channelId: discord.channels.general })).toThrow();
  });
});
