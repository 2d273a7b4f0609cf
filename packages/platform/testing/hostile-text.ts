import fc from 'fast-check';

const family = '👨‍👩‍👧‍👦';

/** Parts of abusive texts: markup, mentions, links, invites, invisible characters and lone surrogates. */
const pieces = [
  '@everyone',
  '@here',
  '<@1>',
  '<@!1>',
  '<@&1>',
  '<#1>',
  '</canvote:1>',
  '<id:customize>',
  '<:a:1>',
  '<a:b:1>',
  '<t:1:R>',
  '[free credits](https://evil.example/)',
  '[a](<https://evil.example> "b")',
  'https://evil.example/',
  'steam://x',
  'discord.gg/abc',
  'discord.com/invite/x',
  '**',
  '__',
  '~~',
  '||',
  '```js\n',
  '`',
  '# ',
  '-# ',
  '>>> ',
  '1. ',
  '\\',
  '\n\n\n',
  '\u2028',
  '\u202E',
  '\u2066',
  '\u200F',
  '\u200B'.repeat(600),
  '\u3164',
  '\0',
  '\uD83D',
  '\uDE00',
  family,
  family.repeat(1_500),
  '🏴‍☠️👍🏽❤️‍🔥🇵🇱',
  `Z${'\u0351\u0321\u0489'.repeat(3_000)}`,
  'a'.repeat(10_000),
  '*'.repeat(10_000),
  '@everyone '.repeat(1_000),
  'עברית العربية ﷽',
  ' ',
] as const;

export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

/** Describes the first harmful part of a text that Discord renders; null if there is none. Allows mentions of `expected`. */
export function findHarm(text: string, expected: readonly string[] = []): string | null {
  const unescaped = text.replace(/\\[^0-9A-Za-z\s]/g, '');
  const withoutMentions = expected.reduce((rest, id) => rest.replaceAll(`<@${id}>`, ''), unescaped);
  const remainder = withoutMentions.replace(/<t:\d+:[RDfTdt]>/g, '');
  const harms: readonly [RegExp, string][] = [
    [/@everyone|@here/, 'it mentions everyone'],
    [/</, 'it has an active mention, emoji or timestamp'],
    [/\]\(/, 'it has a masked link'],
    [/:\/\//, 'it has an active link'],
    [/discord(app)?\.(gg|com)/i, 'it has an invite'],
    [/[\u202A-\u202E\u2066-\u2069\u200E\u200F]/, 'it changes the text direction'],
    [/\u200B{2}|\u3164|\0/, 'it has invisible characters'],
    [/\p{M}{5}/u, 'it stacks combining marks'],
  ];
  if (!text.isWellFormed()) return 'it has a lone surrogate';
  return harms.find(([pattern]) => pattern.test(remainder))?.[1] ?? null;
}
