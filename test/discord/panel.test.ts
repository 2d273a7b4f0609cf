import { sampleSize } from '@tallyhook/platform/testing/sample';
import { escapeText, type Markup, markup } from '@tallyhook/platform/texts/markup';
import fc from 'fast-check';
import { schemaByName } from 'local-discord/testing/discord-types';
import { describe, expect, it } from 'vitest';
import { messageSchema } from '../../packages/local-discord/src/message-schema.ts';
import type { Panel, PanelBlock, Reply, ReplyButton } from '../../src/discord/commands/reply.ts';
import { postRequest } from '../../src/discord/posting.ts';
import { asPanel, renderContainer, renderReply } from '../../src/discord/rendering/message.ts';
import { anyPanel, anyReply } from './any-reply.ts';

const request = schemaByName('MessageCreateRequest');

/** A component as JSON. */
interface Json {
  readonly type: number;
  readonly content?: string;
  readonly components?: readonly Json[];
  readonly accessory?: Json;
}

/** All components of a message, nested ones included. */
function flatten(components: readonly unknown[]): Json[] {
  return (components as readonly Json[]).flatMap((each) => [
    each,
    ...flatten([...(each.components ?? []), ...(each.accessory ? [each.accessory] : [])]),
  ]);
}

const textsOf = (components: readonly unknown[]) => flatten(components).map(({ content = '' }) => content);
const typesOf = (components: readonly unknown[]) => flatten(components).map(({ type }) => type);

/** Checks a message against the local Discord's rules, and against Discord's OpenAPI document. */
function expectValid(shown: Panel): void {
  const { body } = postRequest(shown, 'a-nonce');
  expect(messageSchema.safeParse(body).error?.issues ?? []).toEqual([]);
  const checked = request.safeParse(JSON.parse(JSON.stringify(body)));
  expect(checked.error?.issues ?? []).toEqual([]);
}

const long = (length: number): Markup => escapeText('x'.repeat(length));
const panel = (blocks: readonly PanelBlock[], fields: Partial<Panel> = {}): Panel => ({
  kind: 'panel',
  tone: 'plain',
  blocks,
  ...fields,
});
const buy = (item: string): ReplyButton => ({ kind: 'action', action: 'buy', label: 'Buy', options: { item } });
const file = (name: string) => ({ name, content: new Uint8Array(1), description: `About ${name}` });

describe('a rendered panel', () => {
  it('is a message that Discord accepts, whatever it contains', () => {
    fc.assert(
      fc.property(anyPanel, (any) => expectValid(any)),
      { numRuns: sampleSize(60) },
    );
  });

  it('is made of any reply', () => {
    fc.assert(fc.property(anyReply, (reply) => expectValid(asPanel(reply))));
  });

  it('contains everything if it fits', () => {
    const {
      flags,
      components,
      allowed_mentions: allowedMentions,
      files,
    } = renderReply(
      panel(
        [
          { kind: 'text', text: markup`Text` },
          { kind: 'separator' },
          { kind: 'section', text: markup`Item`, button: buy('vip') },
          { kind: 'thumbnail', text: markup`Icon`, url: 'https://example.com/icon.png', description: 'An icon' },
          { kind: 'image', file: 'votes.png', description: 'A chart' },
          { kind: 'select', select: { kind: 'users', action: 'pick' } },
          { kind: 'buttons', buttons: [{ kind: 'page', label: 'Next', disabled: false, options: { page: 2 } }] },
        ],
        { tone: 'good', title: markup`Title`, footer: '#1_', at: 1_000, files: [file('votes.png'), file('data.json')] },
      ),
      'shop',
    ) as unknown as Record<string, unknown>;
    expect(flags).toBe(1 << 15);
    expect(allowedMentions).toEqual({ parse: [] });
    expect(files).toMatchObject([{ name: 'votes.png', description: 'About votes.png' }, { name: 'data.json' }]);
    expect(components).toEqual([
      {
        type: 17,
        accent_color: 0x57_f2_87,
        components: [
          { type: 10, content: '### Title\nText' },
          { type: 14 },
          {
            type: 9,
            components: [{ type: 10, content: 'Item' }],
            accessory: { type: 2, style: 2, label: 'Buy', custom_id: 'tallyhook:shop/buy:item=vip', disabled: false },
          },
          {
            type: 9,
            components: [{ type: 10, content: 'Icon' }],
            accessory: { type: 11, media: { url: 'https://example.com/icon.png' }, description: 'An icon' },
          },
          { type: 12, items: [{ media: { url: 'attachment://votes.png' }, description: 'A chart' }] },
          { type: 13, file: { url: 'attachment://data.json' } },
          { type: 10, content: '-# #1\\_ · <t:1:f>' },
          { type: 1, components: [{ type: 5, custom_id: 'tallyhook:shop/pick:', min_values: 1, max_values: 1 }] },
          {
            type: 1,
            components: [{ type: 2, style: 2, label: 'Next', custom_id: 'tallyhook:shop:page=2', disabled: false }],
          },
        ],
      },
    ]);
  });

  it('keeps short texts complete, and shortens the long ones equally', () => {
    const texts = [long(100), long(5_000), markup`short`, long(3_000)];
    const { components } = renderContainer(panel(texts.map((text) => ({ kind: 'text', text }))), null);
    const [content = ''] = textsOf(components);
    expect(content.length).toBeGreaterThan(3_980);
    expect(content.length).toBeLessThanOrEqual(4_000);
    const [first, second, third, fourth] = content.split('\n\n').map(({ length }) => length);
    expect([first, third]).toEqual([100, 5]);
    expect(second).toBe(fourth);
  });

  it('keeps its footer and title however long its texts are', () => {
    const { components } = renderContainer(
      panel([{ kind: 'text', text: long(9_000) }], { title: markup`Title`, footer: '#123', at: 0 }),
      null,
    );
    expect(textsOf(components).join('')).toMatch(/^### Title\nx+…\n-# #123 · <t:0:f>$/);
  });

  it('shows the text of a section whose button is invalid, and the button of one without a text', () => {
    const invalid: ReplyButton = { kind: 'link', label: 'Vote', url: 'javascript:alert(1)' };
    const { components } = renderContainer(
      panel([
        { kind: 'section', text: markup`One`, button: invalid },
        { kind: 'section', text: markup`Two`, button: buy('a') },
        { kind: 'section', text: markup`Three`, button: buy('a') },
        { kind: 'section', text: markup``, button: buy('b') },
      ]),
      'shop',
    );
    expect(typesOf(components)).toEqual([10, 9, 10, 2, 10, 1, 2]);
    expect(textsOf(components).filter(Boolean)).toEqual(['One', 'Two', 'Three']);
  });

  it('shows the text of a thumbnail without a valid address, and the picture of one without a text', () => {
    const picture = { kind: 'thumbnail', url: 'https://example.com/a.png', description: '' } as const;
    const { components } = renderContainer(
      panel([
        { ...picture, text: markup`One`, url: 'ftp://example.com' },
        { ...picture, text: markup`` },
      ]),
      null,
    );
    expect(components).toEqual([
      { type: 10, content: 'One' },
      { type: 12, items: [{ media: { url: 'https://example.com/a.png' } }] },
    ]);
  });

  it('leaves out images whose file is not attached, and separators that separate nothing', () => {
    const { components } = renderContainer(
      panel([
        { kind: 'separator' },
        { kind: 'text', text: markup`One` },
        { kind: 'separator' },
        { kind: 'separator' },
        { kind: 'image', file: 'missing.png', description: 'x' },
        { kind: 'text', text: markup`Two` },
        { kind: 'separator' },
      ]),
      null,
    );
    expect(typesOf(components)).toEqual([10, 14, 10]);
  });

  it('leaves out what exceeds 40 components, but not its footer', () => {
    const sections = Array.from({ length: 20 }, (_, index): PanelBlock => {
      return { kind: 'section', text: markup`Item`, button: buy(`item-${index}`) };
    });
    const container = renderContainer(panel(sections, { footer: 'Foot' }), 'shop');
    const all = flatten([container]);
    expect(all).toHaveLength(38);
    expect(all.filter(({ type }) => type === 9)).toHaveLength(12);
    expect(all.at(-1)?.content).toBe('Item\n\nItem\n\nItem\n\nItem\n\nItem\n\nItem\n\nItem\n\nItem\n-# Foot');
  });

  it('is not empty', () => {
    expect(renderContainer(panel([]), null).components).toEqual([{ type: 10, content: '\u200B' }]);
  });
});

it('a reply as a panel has its title with the link, texts, fields, picture, controls and footer', () => {
  const reply: Reply = {
    tone: 'wait',
    title: markup`Title`,
    url: 'https://example.com/',
    text: markup`Text`,
    fields: [{ name: markup`Votes`, value: markup`12`, inline: true }],
    footer: 'Foot',
    files: [file('votes.png')],
    image: 'votes.png',
    selects: [{ kind: 'users', action: 'pick' }],
    buttons: [buy('vip')],
  };
  const { components } = renderContainer(asPanel(reply), 'shop');
  expect(textsOf(components).filter(Boolean)).toEqual([
    '### [Title](https://example.com/)\nText\n\n**Votes**\n12',
    '-# Foot',
  ]);
  expect(typesOf(components)).toEqual([10, 12, 10, 1, 5, 1, 2]);
  expect(JSON.stringify(components)).toContain('About votes.png');
});

it('a reply as an embed shows its picture if the file is attached', () => {
  const reply: Reply = { tone: 'plain', files: [file('votes.png')], image: 'votes.png' };
  expect(renderReply(reply, 'x').embeds).toMatchObject([{ image: { url: 'attachment://votes.png' } }]);
  expect(renderReply({ ...reply, image: 'other.png' }, 'x').embeds[0]).not.toHaveProperty('image');
});
