import { describe, expect, it } from 'vitest';
import { formatMessageTime, formatRelative } from '../src/web/browser/format-time.ts';
import { parseMarkdown, plainText } from '../src/web/browser/markdown.ts';

describe('Discord’s markdown', () => {
  it.each([
    ['plain', ['plain']],
    [
      '**bold** and *it* and _it_',
      [
        { kind: 'strong', children: ['bold'] },
        ' and ',
        { kind: 'emphasis', children: ['it'] },
        ' and ',
        { kind: 'emphasis', children: ['it'] },
      ],
    ],
    [
      '__under__ ~~gone~~ ||secret||',
      [
        { kind: 'underline', children: ['under'] },
        ' ',
        { kind: 'deleted', children: ['gone'] },
        ' ',
        { kind: 'spoiler', children: ['secret'] },
      ],
    ],
    ['old_salt_name and old_salt_ too', ['old_salt_name and old_salt_ too']],
    ['\\*starry\\* \\<@1\\>', ['*starry* <@1>']],
    ['`a*b*`', [{ kind: 'code', children: ['a*b*'] }]],
    ['**a *b* c**', [{ kind: 'strong', children: ['a ', { kind: 'emphasis', children: ['b'] }, ' c'] }]],
    [
      '<@12> <@&3> <#4> </vote trace:5>',
      [
        { kind: 'user', id: '12' },
        ' ',
        { kind: 'role', id: '3' },
        ' ',
        { kind: 'channel', id: '4' },
        ' ',
        { kind: 'command', name: 'vote trace' },
      ],
    ],
    [
      '<t:1735689600:R> <t:1735689600>',
      [{ kind: 'time', at: 1735689600, style: 'R' }, ' ', { kind: 'time', at: 1735689600, style: 'f' }],
    ],
    [
      '[a **b**](https://x.example/y)',
      [{ kind: 'link', url: 'https://x.example/y', children: ['a ', { kind: 'strong', children: ['b'] }] }],
    ],
    ['[a](javascript:alert(1))', ['[a](javascript:alert(1))']],
    [
      'see https://x.example/y.',
      ['see ', { kind: 'link', url: 'https://x.example/y', children: ['https://x.example/y'] }, '.'],
    ],
    ['<script>alert(1)</script>', ['<script>alert(1)</script>']],
    ['<a:wave:12345678>', [':wave:']],
    ['a\n> q1\n> q2\nb', ['a', { kind: 'quote', children: ['q1\nq2'] }, 'b']],
    [
      '# Big\n-# small',
      [
        { kind: 'heading', level: 1, children: ['Big'] },
        { kind: 'subtext', children: ['small'] },
      ],
    ],
    [
      '- one\n- two',
      [
        {
          kind: 'list',
          start: null,
          children: [
            { kind: 'item', children: ['one'] },
            { kind: 'item', children: ['two'] },
          ],
        },
      ],
    ],
    [
      'a\n9. one\n10. two\n  - deep\n1.5 is no item',
      [
        'a',
        {
          kind: 'list',
          start: 9,
          children: [
            { kind: 'item', children: ['one'] },
            {
              kind: 'item',
              children: ['two', { kind: 'list', start: null, children: [{ kind: 'item', children: ['deep'] }] }],
            },
          ],
        },
        '1.5 is no item',
      ],
    ],
    // A quote contains no other one, so that no text is nested as deep as it is long.
    ['> > a', [{ kind: 'quote', children: ['> a'] }]],
    ['>>> > a\n>>> b', [{ kind: 'quote', children: ['> a\n>>> b'] }]],
    ['> '.repeat(2_000), [{ kind: 'quote', children: ['> '.repeat(1_998).concat('>')] }]],
    ['a\n>>> b\n\nc', ['a', { kind: 'quote', children: ['b\n\nc'] }]],
    ['```js\nlet a = "*b*";\n```', [{ kind: 'code_block', children: ['let a = "*b*";'] }]],
    ['**not closed', ['**not closed']],
    ['2 * 3 * 4', ['2 * 3 * 4']],
    ['★★★★☆ 愛子', ['★★★★☆ 愛子']],
  ])('parses %j', (text, nodes) => {
    expect(parseMarkdown(text)).toEqual(nodes);
  });

  it('ignores what is longer than any text with markup in Discord', () => {
    expect(parseMarkdown('a'.repeat(5_000))).toEqual(['a'.repeat(4_096)]);
  });

  it('leaves the newlines around the text of a code block out, also if there is nothing else', () => {
    expect(parseMarkdown('```\n\na\n\n```')).toEqual([{ kind: 'code_block', children: ['a'] }]);
    expect(parseMarkdown(`\`\`\`${'\n'.repeat(4_000)}`)).toHaveLength(1);
  });
});

describe('a text without its markup', () => {
  it('contains only the text', () => {
    expect(plainText('**a *b*** \\*c\\* `d` [e](https://x.example) </vote:1>')).toBe('a b *c* d e /vote');
  });
});

describe('the time of a message', () => {
  it('names the day like Discord', () => {
    const noon = (day: number) => new Date(2026, 10, day, 12).getTime();
    const shown = (day: number) => formatMessageTime(noon(day), noon(21)).replace(/12:00.*$/, '…');
    expect([shown(21), shown(20)]).toEqual(['…', 'Yesterday at …']);
    expect(formatMessageTime(noon(20), noon(21), 'de')).toBe('Gestern 12:00');
    expect(shown(19)).toMatch(/^\d+\D\d+\D\d+, …$/);
    expect(formatMessageTime(noon(21) - 13 * 3_600_000, noon(21))).toMatch(/^Yesterday/);
  });
});

describe('a relative time', () => {
  it('uses the largest unit that fits', () => {
    const now = 1_000_000_000_000;
    const shown = (seconds: number) => formatRelative(now + seconds * 1000, now);
    expect([0, 5, 90, 7200, -7200, 200_000].map(shown)).toEqual([
      'in 0 seconds',
      'in 5 seconds',
      'in 2 minutes',
      'in 2 hours',
      '2 hours ago',
      'in 2 days',
    ]);
  });
});
