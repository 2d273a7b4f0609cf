import { z } from 'zod';
import { second } from '../../platform/durations.ts';
import type { Panel } from '../commands/reply.ts';
import { renderFooter } from '../rendering/panel.ts';

const embed = z.object({
  description: z.string().optional(),
  timestamp: z.string().optional(),
  footer: z.object({ text: z.string() }).optional(),
});
/** Other bots may send components that do not exist yet, so that only what is read is required. */
const component = z.object({
  /** Of a text display. */
  content: z.string().optional().catch(undefined),
  get components() {
    return z.array(component).optional();
  },
});

/** The embeds and panels of a message, as Discord lists them. */
export const foundBlocks = z
  .object({ embeds: z.array(embed).default([]), components: z.array(component).default([]) })
  .transform(({ embeds, components }): readonly FoundBlock[] => [
    ...embeds.map(
      (each): FoundBlock => ({
        kind: 'embed',
        text: each.description ?? '',
        footer: each.footer?.text ?? '',
        timestamp: each.timestamp,
      }),
    ),
    ...components.map((each): FoundBlock => ({ kind: 'panel', text: textOf(each) })),
  ]);

/** An embed or a panel in a message. */
export type FoundBlock =
  | {
      readonly kind: 'embed';
      readonly text: string;
      readonly footer: string;
      readonly timestamp: string | undefined;
    }
  | {
      readonly kind: 'panel';
      /** With the footer in the last line. */
      readonly text: string;
    };

/** Whether a block ends with the footer, and is of this time (ms since the epoch) if it has one. */
export function hasFooter(block: FoundBlock, footer: string, time: Pick<Panel, 'at' | 'since'>): boolean {
  const { at } = time;
  if (block.kind === 'panel') return block.text.split('\n').at(-1) === renderFooter(footer, time);
  const { timestamp } = block;
  const isSameTime = timestamp === undefined || at === undefined || inSeconds(Date.parse(timestamp)) === inSeconds(at);
  return block.footer === footer && isSameTime;
}

function textOf({ content, components = [] }: z.output<typeof component>): string {
  return [content, ...components.map(textOf)].filter((text) => text !== undefined && text !== '').join('\n');
}

function inSeconds(time: number): number {
  return Math.floor(time / second);
}
