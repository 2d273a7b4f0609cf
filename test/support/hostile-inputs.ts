import type { RepeatedText } from './growth.ts';

/** Texts to repeat: parts of markup, URLs, JSON, headers and dates. */
const units = [
  ...[
    '/',
    '\\',
    '*',
    '_',
    ' ',
    'a',
    '😀',
    '0',
    '\n',
    '\r',
    '\t',
    '"',
    "'",
    '`',
    '<',
    '>',
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
  ],
  ...[
    '@',
    '#',
    '-',
    '.',
    ',',
    ':',
    ';',
    '=',
    '&',
    '%',
    '~',
    '|',
    '?',
    '!',
    '+',
    'T',
    'é',
    '\u0301',
    '\u200d',
    '\u{1f1e9}',
  ],
  ...[
    '\\"',
    '\\\\"',
    ' \n',
    '\r\n',
    '[a](',
    '](',
    '**a',
    '_a ',
    '> a\n',
    '- a\n',
    '||a',
    '<@1',
    '<a:',
    '```',
    'a.',
    'a:',
  ],
  ...[
    '//',
    '@a',
    ':a ',
    '1.',
    '{}',
    '[[',
    '{"a":',
    '%20',
    '%f0',
    '&a=',
    'https://',
    '/webhooks/1',
    '😀\u200d',
    'e\u0301',
  ],
];

/** Every unit repeated, alone and with a final character that makes an almost complete match fail. */
export const hostileInputs: readonly RepeatedText[] = repeatedTexts(units, ['', '\0']);

/** Combines each repeated unit with each end. */
export function repeatedTexts(repeated: readonly string[], ends: readonly string[]): RepeatedText[] {
  return repeated.flatMap((unit) => ends.map((end) => repeatedText({ prefix: '', unit, end })));
}

/** A text that repeats a unit between a prefix and an end. */
export function repeatedText({ prefix, unit, end }: { prefix: string; unit: string; end: string }): RepeatedText {
  return {
    name: `${JSON.stringify(prefix)} + ${JSON.stringify(unit)} repeated + ${JSON.stringify(end)}`,
    of(length) {
      const unitsLength = Math.max(0, length - prefix.length - end.length);
      return prefix + unit.repeat(Math.ceil(unitsLength / unit.length)).slice(0, unitsLength) + end;
    },
  };
}
