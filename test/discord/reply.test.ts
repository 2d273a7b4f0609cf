import { markup } from '@tallyhook/platform/texts/markup';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageSchema } from '../../packages/local-discord/src/message-schema.ts';
import { modalSchema } from '../../packages/local-discord/src/modal.ts';
import type { Modal, ModalField, Reply } from '../../src/discord/commands/reply.ts';
import { decodeCustomId, encodeCustomId, renderModal } from '../../src/discord/rendering/components.ts';
import { renderEmbed, renderMessage, renderReply } from '../../src/discord/rendering/message.ts';
import { anyField, anyReply, anyText } from './any-reply.ts';

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

  it('shares a message with others within its limits', () => {
    fc.assert(
      fc.property(fc.array(anyReply, { minLength: 1, maxLength: 10 }), (replies) => {
        const checked = messageSchema.safeParse(renderMessage(replies, null));
        expect(checked.error?.issues ?? []).toEqual([]);
      }),
    );
  });

  it('shares its buttons with others, each once, without those of no command', () => {
    const vote = { kind: 'link', label: 'Vote', url: 'https://example.com/vote' } as const;
    const remind = { kind: 'action', command: 'remind', action: 'on', label: 'Remind me', style: 'primary' } as const;
    const reply: Reply = { tone: 'good', buttons: [vote, remind, { kind: 'action', action: 'off', label: 'Stop' }] };
    expect(renderMessage([reply, { tone: 'good', buttons: [vote] }, reply], null).components).toEqual([
      {
        type: 1,
        components: [
          { type: 2, style: 5, label: 'Vote', url: 'https://example.com/vote' },
          { type: 2, style: 1, label: 'Remind me', custom_id: 'tallyhook:remind/on:', disabled: false },
        ],
      },
    ]);
  });

  it('shows selects above the buttons', () => {
    const rows = renderReply(
      {
        tone: 'plain',
        selects: [{ kind: 'choices', action: 'pick', choices: [{ label: 'Red', value: 'red' }] }],
        buttons: [{ kind: 'action', action: 'buy', label: 'Buy' }],
      },
      'shop',
    ).components;
    expect(rows.map(({ components }) => components.map(({ type }) => type))).toEqual([[3], [2]]);
    expect(rows[0]?.components[0]).toMatchObject({ custom_id: 'tallyhook:shop/pick:', min_values: 1, max_values: 1 });
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

  it('omits selected ids with leading zeros, which Discord rejects', () => {
    const select = { kind: 'users', action: 'pick', maxValues: 3, selected: ['007', '0', '12'] } as const;
    expect(renderReply({ tone: 'good', selects: [select] }, 'x').components[0]?.components[0]).toMatchObject({
      default_values: [{ id: '0' }, { id: '12' }],
    });
  });
});

describe('a rendered modal', () => {
  const modal = (fields: readonly ModalField[]): Modal => ({ kind: 'modal', action: 'sent', title: 'Form', fields });

  it('is one that Discord accepts', () => {
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 7 }), anyText, (fields, title) => {
        const named = fields.map((field, index) => ({ ...field, name: `field${index}` }));
        const text = { kind: 'text', name: 'text', label: 'Text' } as const;
        const checked = modalSchema.safeParse(renderModal({ ...modal([text, ...named]), title: `x${title}` }, 'shop'));
        expect(checked.error?.issues ?? []).toEqual([]);
      }),
    );
  });

  it('is an error without fields, or if its options do not fit', () => {
    expect(() => renderModal(modal([]), 'shop')).toThrow('invalid');
    const fields = [{ kind: 'text', name: 'text', label: 'Text' }] as const;
    expect(() => renderModal({ ...modal(fields), options: { item: 'x'.repeat(100) } }, 'shop')).toThrow('invalid');
  });
});

describe("a button's custom id", () => {
  it('decodes to the encoded options', () => {
    const id = { command: 'reviews', action: null, options: { sort: 'newest', page: '2', listing: 'a b&c=d:é' } };
    expect(decodeCustomId(encodeCustomId(id) ?? '')).toEqual(id);
    const withAction = { ...id, action: 'buy-2' };
    expect(decodeCustomId(encodeCustomId(withAction) ?? '')).toEqual(withAction);
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
