import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply, ReplyButton } from '../../commands/reply.ts';
import { decodeCustomId, encodeCustomId } from '../../src/discord/custom-id.ts';
import { renderEmbed, renderReply } from '../../src/discord/reply.ts';
import { messageSchema } from '../../src/sandbox/discord/message-schema.ts';
import { escapeText, type Markup, markup } from '../../src/texts/markup.ts';

const anyText = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.constantFrom(1, 10, 100, 2_000))
  .map(([text, times]) => text.repeat(times));
const anyMarkup = anyText.map((text): Markup => escapeText(text));
const anyButton: fc.Arbitrary<ReplyButton> = fc.oneof(
  fc.record({ kind: fc.constant('link'), label: anyText, url: fc.oneof(fc.webUrl(), fc.string()) }),
  fc.record({
    kind: fc.constant('page'),
    label: anyText,
    disabled: fc.boolean(),
    options: fc.dictionary(fc.string({ maxLength: 9 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
      maxKeys: 4,
    }),
  }),
);
const anyReply: fc.Arbitrary<Reply> = fc.record(
  {
    tone: fc.constantFrom('good', 'plain', 'wait', 'bad'),
    title: anyMarkup,
    url: fc.oneof(fc.webUrl(), fc.string()),
    text: anyMarkup,
    fields: fc.array(fc.record({ name: anyMarkup, value: anyMarkup, inline: fc.boolean() }), { maxLength: 30 }),
    footer: anyText,
    at: fc.double(),
    buttons: fc.array(anyButton, { maxLength: 30 }),
  },
  { requiredKeys: ['tone'] },
);

describe('a rendered reply', () => {
  it('is a message that Discord accepts, whatever it contains', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const { embeds, components } = renderReply(reply, 'reviews');
        const checked = messageSchema.safeParse({ embeds, components });
        expect(checked.error?.issues ?? []).toEqual([]);
      }),
    );
  });

  it('pings nobody', () => {
    expect(renderReply({ tone: 'plain' }, 'x').allowedMentions).toEqual({ parse: [] });
  });

  it('stays within the given length', () => {
    fc.assert(
      fc.property(anyReply, fc.integer({ min: 1, max: 6_000 }), (reply, room) => {
        const { title = '', description = '', footer, fields = [] } = renderEmbed(reply, room);
        const parts = [title, description, footer?.text ?? '', ...fields.flatMap(({ name, value }) => [name, value])];
        expect(parts.join('').length).toBeLessThanOrEqual(room);
      }),
    );
  });

  it('contains the complete reply if it fits', () => {
    const reply: Reply = {
      tone: 'good',
      title: markup`Title`,
      url: 'https://example.com/',
      text: markup`Text`,
      fields: [{ name: markup`Name`, value: markup`Value`, inline: true }],
      footer: 'Foot',
      at: 0,
      buttons: [{ kind: 'page', label: 'Next', disabled: false, options: { page: 2 } }],
    };
    const { embeds, components } = renderReply(reply, 'reviews');
    expect(embeds).toEqual([
      {
        color: 0x57_f2_87,
        title: 'Title',
        url: 'https://example.com/',
        description: 'Text',
        fields: [{ name: 'Name', value: 'Value', inline: true }],
        footer: { text: 'Foot' },
        timestamp: '1970-01-01T00:00:00.000Z',
      },
    ]);
    expect(components).toEqual([
      {
        type: 1,
        components: [{ type: 2, style: 2, label: 'Next', custom_id: 'tallyhook:reviews:page=2', disabled: false }],
      },
    ]);
  });

  it('omits buttons whose URL is not a web page', () => {
    const buttons: ReplyButton[] = [
      { kind: 'link', label: 'Vote', url: 'javascript:alert(1)' },
      { kind: 'link', label: 'Vote', url: 'https://example.com/vote' },
    ];
    expect(renderReply({ tone: 'good', buttons }, 'x').components).toEqual([
      { type: 1, components: [{ type: 2, style: 5, label: 'Vote', url: 'https://example.com/vote' }] },
    ]);
  });
});

describe("a button's custom id", () => {
  it('decodes to the encoded options', () => {
    const id = { command: 'reviews', action: null, options: { sort: 'newest', page: '2', listing: 'a b&c=d:é' } };
    expect(decodeCustomId(encodeCustomId(id) ?? '')).toEqual(id);
  });

  it('is null if the options do not fit', () => {
    expect(encodeCustomId({ command: 'reviews', action: null, options: { listing: 'x'.repeat(100) } })).toBeNull();
  });

  it('is decoded from any string without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        decodeCustomId(text);
        expect(decodeCustomId(`tallyhook:reviews:${text}`)?.command).toBe('reviews');
      }),
    );
    expect(decodeCustomId('tallyhook:reviews:__proto__=1')?.options).toEqual({ ['__proto__']: '1' });
  });
});
