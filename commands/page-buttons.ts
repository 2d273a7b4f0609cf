import type { OptionValue, ReplyButton } from '../src/discord/commands/reply.ts';
import type { Texts } from '../src/texts/texts.ts';

/** The buttons that lead to the pages before and after one, which are counted from 1. @param options of the command */
export function pageButtons(
  group: 'leaderboard' | 'reviews' | 'shop',
  { text }: Texts,
  { number, pages }: { readonly number: number; readonly pages: number },
  options: Readonly<Record<string, OptionValue>>,
): readonly [previous: ReplyButton, next: ReplyButton] {
  const button = (label: string, page: number): ReplyButton => {
    return { kind: 'page', label, disabled: page < 1 || page > pages, options: { ...options, page } };
  };
  return [button(text(`${group}.previous`), number - 1), button(text(`${group}.next`), number + 1)];
}
