import {
  bold,
  cutMarkup,
  escapeName,
  escapeText,
  joined,
  lines,
  link,
  markup,
  mention,
  timestamp,
  webAddress,
} from '@tallyhook/platform/texts/markup';
import { cut, plainName } from '@tallyhook/platform/truncate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Hostile texts: markup, mentions, links, emoji, combining marks, lone surrogates. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        ...['@everyone', '@here', '<@1>', '<@&1>', '<#1>', '<:a:1>', '<t:1:R>', '</a:1>', 'https://evil.example/'],
        ...['steam://x', 'discord.gg/abc', 'discord.com/invite/x', '**', '__', '~~', '||', '`', '```', '# ', '-# '],
        ...['> ', '>>> ', '- ', '1. ', '[a](b)', '\\', '\n', '\r\n', '\u2028', '\u202E', '\u200B', '\u200D', '\uFEFF'],
        ...['\u3164', '\uD83D', '\uDE00', '👨‍👩‍👧‍👦', '👍🏽', '❤️‍🔥', 'e\u0301\u0302\u0303\u0304\u0305\u0306'],
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

function forAll<Value>(values: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  fc.assert(fc.property(values, check));
}

/** The text as Discord shows it: without escapes and without the space after the sign of a mention. */
function rendered(text: string): string {
  return text.replace(/\\([^0-9A-Za-z\s])/g, '$1').replaceAll('@\u200B', '@');
}

/** The text with every escape replaced by a letter. */
function withoutEscapes(text: string): string {
  return text.replace(/\\[^0-9A-Za-z\s]/g, 'x');
}

describe('escaped external text', () => {
  it('contains no active markup, mention, link or invite, and no invisible characters', () => {
    forAll(hostileText, (text) => {
      const escaped = escapeText(text);
      const unescaped = withoutEscapes(escaped);
      expect(unescaped).not.toMatch(/[*_~`|<[\]\\]/);
      expect(unescaped).not.toMatch(/^(#|>|-|\d+\.)/m);
      // Also not in its raw text.
      expect(escaped).not.toMatch(/@everyone|@here|<@[!&]?\d|(?<!\\)</);
      expect(escaped).not.toMatch(/(?<!\\):\/\/|discord(app)?\.(gg|com)/i);
      expect(escaped.isWellFormed()).toBe(true);
      expect(escaped.replaceAll('@\u200B', '')).not.toMatch(
        /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\u3164\u00AD]/,
      );
      expect(escaped).not.toMatch(/\p{M}{5}/u);
    });
  });

  it('is shown as it was written', () => {
    forAll(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      const normalizedLines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
      expect(rendered(escapeText(text))).toBe(normalizedLines.join('\n').trim());
    });
  });

  it('fits any limit, with complete graphemes and escapes', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, limit) => {
        const whole = escapeText(text);
        const escaped = escapeText(text, limit);
        expect(escaped.length).toBeLessThanOrEqual(limit);
        if (whole.length <= limit) expect(escaped).toBe(whole);
        else if (limit > 0) expect(escaped.endsWith('…')).toBe(true);
        expect(escaped.isWellFormed()).toBe(true);
        expect(withoutEscapes(escaped)).not.toMatch(/[*_~`|<[\]\\]/);
      }),
    );
  });

  it('is on one line if it is a name', () => {
    forAll(hostileText, (text) => {
      expect(escapeName(text)).not.toMatch(/[\n\r\u2028\u2029]/);
    });
    expect(escapeName(' a\n\n b\t')).toBe('a b');
  });

  it('keeps composed emoji', () => {
    expect(escapeText('👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 🇵🇱')).toBe('👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 🇵🇱');
  });

  it('keeps paragraphs, but not several empty lines', () => {
    expect(escapeText('one\r\n\r\n\r\n\n\n two\n')).toBe('one\n\ntwo');
  });
});

describe('the shortcut for text that needs no escaping', () => {
  /** A character that is removed makes the text take the long way, and leaves no trace. */
  const invisible = '\u200B';
  const firstCharacters = Array.from({ length: 0x380 }, (_, code) => String.fromCharCode(code));

  it.each(['', 'a', ' ', '1', '\u0301'])('changes no result of normalization after "%s"', (before) => {
    for (const character of firstCharacters) {
      for (const text of [before + character, `${before}${character}b`, before + character.repeat(5)]) {
        expect(plainName(text)).toBe(plainName(text + invisible));
        expect(escapeText(text)).toBe(escapeText(text + invisible));
      }
    }
  });

  it('changes no result of normalization of hostile texts', () => {
    forAll(hostileText, (text) => {
      expect(plainName(text)).toBe(plainName(text + invisible));
      expect(escapeText(text)).toBe(escapeText(text + invisible));
    });
  });

  /** A full stop may be part of an invite, so the text takes the long way; this one is not escaped itself. */
  const stop = ' .';

  it('changes no result of escaping a character', () => {
    for (const character of firstCharacters.map((each) => plainName(each)).filter((each) => each !== '')) {
      for (const name of [character, `1${character}`, `a ${character}b`, `a${character}//b`]) {
        expect(escapeName(name) + stop).toBe(escapeName(name + stop));
      }
    }
  });

  it('changes no result of escaping hostile texts', () => {
    fc.assert(
      fc.property(
        hostileText.map((text) => plainName(text)),
        (name) => {
          fc.pre(name !== '');
          expect(escapeName(name) + stop).toBe(escapeName(name + stop));
        },
      ),
    );
  });
});

describe('truncation', () => {
  it('never splits a grapheme', () => {
    expect(cut('👨‍👩‍👧👨‍👩‍👧', 12)).toBe('👨‍👩‍👧…');
    expect(cut('👨‍👩‍👧👨‍👩‍👧', 8)).toBe('…');
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
    expect(cut('abcd', 0)).toBe('');
  });

  it('leaves no half mention or timestamp', () => {
    const text = markup`by ${mention('200000000000000001')} at ${timestamp(0, 'f')}.`;
    for (let limit = 1; limit < text.length; limit += 1) {
      const short = cutMarkup(text, limit);
      expect(short.length).toBeLessThanOrEqual(limit);
      if (short.includes('<')) expect(short).toMatch(/^by <@200000000000000001>( at? ?| at <t:0:f>)?…$/);
    }
  });

  it('leaves no backslash before the ellipsis', () => {
    expect(cutMarkup(escapeText('a*b*c'), 3)).toBe('a…');
    expect(cutMarkup(markup`a\\\\\\`, 4)).toBe('a\\\\');
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const short = cutMarkup(escapeText(text), limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(withoutEscapes(short)).not.toContain('\\');
      }),
    );
  });
});

describe('our own markup', () => {
  it('shows times in the language of the reader', () => {
    expect(timestamp(1_767_225_600_999, 'R')).toBe('<t:1767225600:R>');
  });

  it('mentions only valid ids', () => {
    expect(mention('123456789012345678')).toBe('<@123456789012345678>');
    expect(mention('@everyone')).toBe('@\u200Beveryone');
  });

  it('formats and joins only parts that are not empty', () => {
    const empty = escapeText('');
    expect(bold(empty)).toBe('');
    expect(lines(markup`a`, null, empty, markup`b`)).toBe('a\nb');
    expect(joined([markup`a`, markup`b`], ', ')).toBe('a, b');
  });

  it('has plain names for places without markup', () => {
    expect(plainName('a*b\n@everyone \u202Ec')).toBe('a*b @everyone c');
  });
});

describe('URLs', () => {
  it('are links if they are web addresses', () => {
    expect(link(markup`here`, 'https://example.com/a(b)')).toBe('[here](https://example.com/a%28b%29)');
    expect(webAddress('http://example.com/s/1?a=b')).toBe('http://example.com/s/1?a=b');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pw@example.com',
    'not a url',
    '',
    null,
    undefined,
    `https://e.com/${'a'.repeat(600)}`,
  ])('are ignored if they are %s', (url) => {
    expect(webAddress(url)).toBeNull();
    expect(link(markup`here`, url)).toBe('here');
  });
});
