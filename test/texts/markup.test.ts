import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bold,
  cut,
  cutMarkup,
  escapeName,
  escapeText,
  grouped,
  joined,
  lines,
  link,
  markup,
  mention,
  plainName,
  timestamp,
  webAddress,
} from '../../src/texts/markup.ts';

/** Texts as members write them and as they should not: markup, mentions, links, emoji, marks, halves of characters. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '@everyone',
        '@here',
        '<@1>',
        '<@&1>',
        '<#1>',
        '<:a:1>',
        '<t:1:R>',
        '</a:1>',
        'https://evil.example/',
        'steam://x',
        'discord.gg/abc',
        'discord.com/invite/x',
        '**',
        '__',
        '~~',
        '||',
        '`',
        '```',
        '# ',
        '-# ',
        '> ',
        '>>> ',
        '- ',
        '1. ',
        '[a](b)',
        '\\',
        '\n',
        '\r\n',
        '\u2028',
        '\u202E',
        '\u200B',
        '\u200D',
        '\uFEFF',
        '\u3164',
        '\uD83D',
        '\uDE00',
        '👨‍👩‍👧‍👦',
        '👍🏽',
        '❤️‍🔥',
        'e\u0301\u0302\u0303\u0304\u0305\u0306',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** The text as Discord draws it: every escape is its character, our own space after a mention's sign is nothing. */
function drawn(text: string): string {
  return text.replace(/\\([^0-9A-Za-z\s])/g, '$1').replaceAll('@\u200B', '@');
}

/** The text with a letter in place of every escape. */
function live(text: string): string {
  return text.replace(/\\[^0-9A-Za-z\s]/g, 'x');
}

describe('escaped foreign text', () => {
  it('holds no live markup', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const left = live(escapeText(text));
        expect(left).not.toMatch(/[*_~`|<[\]\\]/);
        expect(left).not.toMatch(/^(#|>|-|\d+\.)/m);
      }),
    );
  });

  it('mentions nobody, not even for a reader of the raw text', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(escapeText(text)).not.toMatch(/@everyone|@here|<@[!&]?\d|(?<!\\)</);
      }),
    );
  });

  it('has no links and no invites', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(escapeText(text)).not.toMatch(/(?<!\\):\/\/|discord(app)?\.(gg|com)/i);
      }),
    );
  });

  it('hides nothing and is well formed', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const escaped = escapeText(text);
        expect(escaped.isWellFormed()).toBe(true);
        expect(escaped.replaceAll('@\u200B', '')).not.toMatch(
          /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\u3164\u00AD]/,
        );
        expect(escaped).not.toMatch(/\p{M}{5}/u);
      }),
    );
  });

  it('reads as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        const lined = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
        expect(drawn(escapeText(text))).toBe(lined.join('\n').trim());
      }),
    );
  });

  it('fits any limit, with whole graphemes and whole escapes', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 0, max: 60 }), (text, limit) => {
        const whole = escapeText(text);
        const escaped = escapeText(text, limit);
        expect(escaped.length).toBeLessThanOrEqual(limit);
        if (whole.length <= limit) expect(escaped).toBe(whole);
        else if (limit > 0) expect(escaped.endsWith('…')).toBe(true);
        expect(escaped.isWellFormed()).toBe(true);
        expect(live(escaped)).not.toMatch(/[*_~`|<[\]\\]/);
      }),
    );
  });

  it('is on one line where it is a name', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(escapeName(text)).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
    );
    expect(escapeName(' a\n\n b\t')).toBe('a b');
  });

  it('keeps emoji of several parts together', () => {
    expect(escapeText('👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 🇵🇱')).toBe('👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 🇵🇱');
  });

  it('keeps paragraphs, but no field of empty lines', () => {
    expect(escapeText('one\r\n\r\n\r\n\n\n two\n')).toBe('one\n\ntwo');
  });

  it('is done in no time for a megabyte of stars', () => {
    const before = performance.now();
    escapeText('*'.repeat(1_000_000), 950);
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe('cutting', () => {
  it('never splits a grapheme', () => {
    expect(cut('👨‍👩‍👧👨‍👩‍👧', 12)).toBe('👨‍👩‍👧…');
    expect(cut('👨‍👩‍👧👨‍👩‍👧', 8)).toBe('…');
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
    expect(cut('abcd', 0)).toBe('');
  });

  it('leaves no backslash behind that would escape our ellipsis', () => {
    expect(cutMarkup(escapeText('a*b*c'), 3)).toBe('a…');
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const short = cutMarkup(escapeText(text), limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(live(short)).not.toContain('\\');
      }),
    );
  });
});

describe('what we say ourselves', () => {
  it('is a moment in the words of each reader', () => {
    expect(timestamp(1_767_225_600_999, 'R')).toBe('<t:1767225600:R>');
  });

  it('is a mention only of what is an id', () => {
    expect(mention('123456789012345678')).toBe('<@123456789012345678>');
    expect(mention('@everyone')).toBe('@\u200Beveryone');
  });

  it('is a number in full digits', () => {
    expect(grouped(1_234_567)).toBe('1,234,567');
    expect(grouped(0)).toBe('0');
  });

  it('is bold, joined and on lines only where there is something', () => {
    const nothing = escapeText('');
    expect(bold(nothing)).toBe('');
    expect(lines(markup`a`, null, nothing, markup`b`)).toBe('a\nb');
    expect(joined([markup`a`, markup`b`], ', ')).toBe('a, b');
  });

  it('draws no markup where Discord draws none', () => {
    expect(plainName('a*b\n@everyone \u202Ec')).toBe('a*b @everyone c');
  });
});

describe('addresses', () => {
  it('are links when a browser should open them', () => {
    expect(link(markup`here`, 'https://example.com/a(b)')).toBe('[here](https://example.com/a%28b%29)');
    expect(webAddress('http://example.com/s/1?a=b')).toBe('http://example.com/s/1?a=b');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pw@example.com',
    'no address',
    '',
    null,
    undefined,
    `https://e.com/${'a'.repeat(600)}`,
  ])('are nothing when they are %s', (url) => {
    expect(webAddress(url)).toBeNull();
    expect(link(markup`here`, url)).toBe('here');
  });
});
