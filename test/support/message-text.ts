import type { Message } from 'local-discord';
import { textsOf } from '../../packages/local-discord/src/objects.ts';

/** Whether a message consists of panels. */
export function isPanelMessage({ flags }: Pick<Message, 'flags'>): boolean {
  return (flags & (1 << 15)) !== 0;
}

/** The texts of each embed (title, description) or panel (all texts, with the footer) of a message. */
export function blocksOf({ embeds, components }: Pick<Message, 'embeds' | 'components'>): string[] {
  return [
    ...embeds.map(({ title, description }) => `${title}\n${description}`),
    ...components.flatMap((part) => (part.type === 17 ? [textsOf([part]).join('\n')] : [])),
  ];
}

/** The text of the only or first embed or panel of a message. */
export function textOf(message: Pick<Message, 'embeds' | 'components'> | undefined): string {
  return (message && blocksOf(message)[0]) ?? '';
}
