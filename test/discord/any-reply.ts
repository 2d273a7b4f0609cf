import { escapeText, type Markup } from '@tallyhook/platform/texts/markup';
import fc from 'fast-check';
import type {
  ModalField,
  Panel,
  PanelBlock,
  Reply,
  ReplyButton,
  ReplySelect,
  Select,
} from '../../src/discord/commands/reply.ts';

/** Replies and panels with anything in them, as commands must never return them, but might. */

export const anyText = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.constantFrom(1, 10, 100, 2_000))
  .map(([text, times]) => text.repeat(times));
export const anyMarkup = anyText.map((text): Markup => escapeText(text));
const anyOptions = fc.dictionary(fc.string({ maxLength: 9 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
  maxKeys: 4,
});
const anyTarget = fc.record(
  { action: fc.constantFrom('buy', 'pick'), options: anyOptions, command: fc.constant('shop') },
  { requiredKeys: ['action'] },
);
const anyCount = fc.integer({ min: -1, max: 30 });
const anyChoice = fc.record(
  {
    label: anyText,
    value: fc.oneof(anyText, fc.constantFrom('red', 'blue')),
    description: anyText,
    selected: fc.boolean(),
  },
  { requiredKeys: ['label', 'value'] },
);
const anyChoices = fc.array(anyChoice, { maxLength: 30 });
const anySelect: fc.Arbitrary<Select> = fc
  .tuple(
    fc.oneof(
      fc.record(
        {
          kind: fc.constantFrom('users' as const, 'roles' as const, 'channels' as const),
          selected: fc.array(fc.oneof(fc.constantFrom('1', '2', '3'), fc.string()), { maxLength: 30 }),
        },
        { requiredKeys: ['kind'] },
      ),
      fc.record({ kind: fc.constant('choices' as const), choices: anyChoices }),
    ),
    fc.record({ placeholder: anyText, minValues: anyCount, maxValues: anyCount }, { requiredKeys: [] }),
  )
  .map(([source, limits]) => ({ ...source, ...limits }));
export const anyReplySelect: fc.Arbitrary<ReplySelect> = fc
  .tuple(anySelect, anyTarget, fc.boolean())
  .map(([select, target, disabled]) => ({ ...select, ...target, disabled }));
export const anyField: fc.Arbitrary<ModalField> = fc
  .tuple(
    fc.oneof(
      anySelect,
      fc.record({ kind: fc.constant('text' as const), value: anyText, placeholder: anyText }),
      fc.record({ kind: fc.constant('radios' as const), choices: anyChoices }),
      fc.record(
        { kind: fc.constant('checkboxes' as const), choices: anyChoices, minValues: anyCount, maxValues: anyCount },
        { requiredKeys: ['kind', 'choices'] },
      ),
      fc.record({ kind: fc.constant('checkbox' as const), checked: fc.boolean() }, { requiredKeys: ['kind'] }),
    ),
    fc.record({ label: anyText.map((label) => `x${label}`), description: anyText }),
    fc.boolean(),
  )
  .map(([input, texts, required]) => ({ name: 'replaced', ...input, ...texts, required }));
const anyButton: fc.Arbitrary<ReplyButton> = fc.oneof(
  fc
    .tuple(anyTarget, anyText, fc.constantFrom('primary', 'secondary', 'success', 'danger'), fc.boolean())
    .map(([target, label, style, disabled]) => ({ ...target, kind: 'action' as const, label, style, disabled })),
  fc.record({ kind: fc.constant('link'), label: anyText, url: fc.oneof(fc.webUrl(), fc.string()) }),
  fc.record({
    kind: fc.constant('page'),
    label: anyText,
    disabled: fc.boolean(),
    options: anyOptions,
  }),
);
const anyFileName = fc.constantFrom('votes.png', 'data.json', '-', 'a b.png', '文.png');
const anyFiles = fc.array(
  fc.record({ name: anyFileName, content: fc.constant(new Uint8Array(1)), description: anyText }),
  {
    maxLength: 12,
  },
);
const anyTone = fc.constantFrom('good' as const, 'plain' as const, 'wait' as const, 'bad' as const);
export const anyReply: fc.Arbitrary<Reply> = fc.record(
  {
    tone: anyTone,
    title: anyMarkup,
    url: fc.oneof(fc.webUrl(), fc.string()),
    text: anyMarkup,
    fields: fc.array(fc.record({ name: anyMarkup, value: anyMarkup, inline: fc.boolean() }), { maxLength: 30 }),
    footer: anyText,
    at: fc.double(),
    buttons: fc.array(anyButton, { maxLength: 30 }),
    selects: fc.array(anyReplySelect, { maxLength: 7 }),
    ...{ files: anyFiles, image: anyFileName },
  },
  { requiredKeys: ['tone'] },
);

const anyUrl = fc.oneof(fc.webUrl(), fc.string());
const anyBlock: fc.Arbitrary<PanelBlock> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: anyMarkup }),
  fc.record({ kind: fc.constant('section' as const), text: anyMarkup, button: anyButton }),
  fc.record({ kind: fc.constant('thumbnail' as const), text: anyMarkup, url: anyUrl, description: anyText }),
  fc.record({ kind: fc.constant('image' as const), file: anyFileName, description: anyText }),
  fc.constant({ kind: 'separator' as const }),
  fc.record({ kind: fc.constant('select' as const), select: anyReplySelect }),
  fc.record({ kind: fc.constant('buttons' as const), buttons: fc.array(anyButton, { maxLength: 12 }) }),
);
export const anyPanel: fc.Arbitrary<Panel> = fc.record(
  {
    kind: fc.constant('panel'),
    tone: anyTone,
    title: anyMarkup,
    blocks: fc.array(anyBlock, { maxLength: 60, size: 'max' }),
    footer: anyText,
    at: fc.double(),
    files: anyFiles,
  },
  { requiredKeys: ['kind', 'tone', 'blocks'] },
);
