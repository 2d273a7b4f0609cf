import { describe, expect, it } from 'vitest';
import {
  autocompleteRequest,
  parseCommandLine,
  suggest,
  suggestCompletions,
} from '../../packages/local-discord/src/page/browser/suggestions.ts';
import type { OptionContext } from '../../packages/local-discord/src/page/browser/typed-line.ts';

const state: OptionContext = {
  commands: [
    { name: 'canvote', description: 'May you?', options: [{ type: 6, name: 'user', description: 'Who.' }] },
    {
      name: 'reviews',
      description: 'Read.',
      options: [
        {
          type: 3,
          name: 'sort',
          description: 'How.',
          choices: [
            { name: 'newest first', value: 'newest' },
            { name: 'highest', value: 'highest' },
          ],
        },
        { type: 4, name: 'limit', description: 'Up to.', min_value: 1, max_value: 50 },
      ],
    },
    {
      name: 'vote',
      description: 'Votes.',
      options: [
        {
          type: 1,
          name: 'trace',
          description: 'Where.',
          options: [{ type: 3, name: 'id', description: 'Which.', required: true }],
        },
      ],
    },
    { name: 'stats', description: 'Numbers.' },
  ],
  members: [
    { id: '11', name: 'Mira', username: 'mira' },
    { id: '12', name: 'Old Salt', username: 'old_salt' },
  ],
  channels: [{ id: '31', name: 'votes', kind: 'guild' }],
  roles: [{ id: '22', name: 'Voter' }],
};

const labels = (line: string) => suggest(line, state).map(({ label }) => label);
const inserts = (line: string) => suggest(line, state).map(({ insert }) => insert);

describe('suggestions', () => {
  it('start with the matching commands', () => {
    expect(labels('')).toEqual([]);
    expect(labels('hello')).toEqual([]);
    expect(labels('/')).toEqual(['/canvote', '/reviews', '/vote', '/stats']);
    expect(labels('/v')).toEqual(['/vote']);
    expect(inserts('/can')).toEqual(['/canvote ']);
  });

  it('continue with the remaining options', () => {
    expect(labels('/reviews ')).toEqual(['sort:', 'limit:']);
    expect(labels('/reviews limit:5 ')).toEqual(['sort:']);
    expect(inserts('/reviews limit:5 so')).toEqual([]);
    expect(inserts('/reviews limit:5 ')).toEqual(['/reviews limit:5 sort:']);
    expect(labels('/stats ')).toEqual([]);
  });

  it('contain choices, members and subcommands', () => {
    expect(inserts('/reviews sort:')).toEqual(['/reviews sort:newest first ', '/reviews sort:highest ']);
    expect(inserts('/reviews limit:5 sort:hi')).toEqual(['/reviews limit:5 sort:highest ']);
    expect(labels('/canvote user:')).toEqual(['@Mira', '@Old Salt']);
    expect(inserts('/canvote user:@old')).toEqual(['/canvote user:@Old Salt ']);
    expect(inserts('/vote ')).toEqual(['/vote trace ']);
    expect(labels('/vote trace ')).toEqual(['id:']);
  });

  it('highlight only required input, so that Enter sends a command whose options are all optional', () => {
    expect(suggest('/can', state)[0]?.isCertain).toBe(true);
    expect(suggest('/reviews ', state)[0]?.isCertain).toBe(false);
    expect(suggest('/vote trace ', state)[0]?.isCertain).toBe(true);
  });
});

describe('a typed line', () => {
  it.each([
    ['/stats ', { name: 'stats', options: {} }],
    ['/reviews sort:newest first limit:5 ', { name: 'reviews', options: { sort: 'newest', limit: 5 } }],
    ['/canvote user:@Old Salt ', { name: 'canvote', options: { user: '12' } }],
    ['/canvote user:old_salt ', { name: 'canvote', options: { user: '12' } }],
    ['/canvote user:<@11> ', { name: 'canvote', options: { user: '11' } }],
    ['/vote trace id:a b c ', { name: 'vote trace', options: { id: 'a b c' } }],
  ])('%j is parsed', (line, meant) => {
    expect(parseCommandLine(line, state)).toEqual(meant);
  });

  it.each([
    ['hello', 'Only slash commands are supported. Type / to list them.'],
    ['/nonsense ', 'Unknown command: /nonsense'],
    ['/vote ', 'Choose one of: trace'],
    ['/vote trace ', 'id is required'],
    ['/reviews limit:51 ', 'Invalid value for limit: “51”'],
    ['/reviews sort:oldest ', 'Invalid value for sort: “oldest”'],
    ['/canvote user:nobody ', 'Invalid value for user: “nobody”'],
    ['/reviews highest ', 'Start with the name of an option, as in sort:highest'],
  ])('%j is rejected with a hint', (line, error) => {
    expect(parseCommandLine(line, state)).toEqual({ error });
  });
});

describe('an option with autocomplete', () => {
  const completed = new Map<string, string>();
  const completing: OptionContext = {
    ...state,
    completed,
    commands: [
      {
        name: 'find',
        description: 'Finds.',
        options: [
          { type: 4, name: 'berths', description: 'How many.' },
          { type: 3, name: 'harbour', description: 'Which.', autocomplete: true },
        ],
      },
    ],
  };

  it('requests choices for the text so far', () => {
    expect(autocompleteRequest('/find berths:3 harbour:lan', completing)).toEqual({
      name: 'find',
      options: { berths: 3 },
      focused: { name: 'harbour', value: 'lan' },
    });
    expect(autocompleteRequest('/find harbour:', completing)).toMatchObject({ focused: { value: '' } });
    expect(autocompleteRequest('/find berths:3', completing)).toBe(null);
    expect(autocompleteRequest('/fi', completing)).toBe(null);
  });

  it('shows the name of a choice and sends its value', () => {
    const [first] = suggestCompletions('/find harbour:lan', [{ name: 'Lantern Harbour' }], completing);
    expect(first?.insert).toBe('/find harbour:Lantern Harbour ');
    completed.set('harbour:lantern harbour', 'h/2');
    expect(parseCommandLine('/find harbour:Lantern Harbour ', completing)).toEqual({
      name: 'find',
      options: { harbour: 'h/2' },
    });
  });
});

describe('a member whose client is in German', () => {
  const commands = [
    {
      name: 'reviews',
      description: 'Read.',
      description_localizations: { de: 'Lesen.' },
      options: [
        {
          ...{ type: 3 as const, name: 'sort', description: 'How.', description_localizations: { de: 'Wie.' } },
          choices: [{ name: 'newest first', name_localizations: { de: 'neueste zuerst' }, value: 'newest' }],
        },
      ],
    },
  ];
  const context: OptionContext = { ...state, commands, locale: 'de' };

  it('sees translated descriptions and choices, and sends the values', () => {
    expect(suggest('/r', context)).toMatchObject([{ label: '/reviews', hint: 'Lesen.' }]);
    expect(suggest('/reviews ', context)).toMatchObject([{ label: 'sort:', hint: 'Wie.' }]);
    expect(suggest('/reviews sort:', context)).toMatchObject([{ label: 'neueste zuerst' }]);
    for (const typed of ['neueste zuerst', 'newest first', 'newest']) {
      expect(parseCommandLine(`/reviews sort:${typed} `, context)).toEqual({
        name: 'reviews',
        options: { sort: 'newest' },
      });
    }
    expect(suggest('/r', { ...context, locale: 'fr' })).toMatchObject([{ hint: 'Read.' }]);
  });
});
