import { commandMention } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';
import type { AnsweringContext, CommandDefinition, CommandOffer } from './command.ts';
import type { ActionTarget, OptionValue, Reply, ReplyButton } from './reply.ts';

/** The buttons that these commands offer at a place. */
export function offersAt(
  place: CommandOffer['place'],
  commands: readonly CommandDefinition[],
  texts: Texts,
): readonly ReplyButton[] {
  return commands
    .flatMap(({ name, offers = [] }) => offers.map((offer) => ({ name, ...offer })))
    .filter((offer) => offer.place === place)
    .toSorted((a, b) => Number(b.isFirst ?? false) - Number(a.isFirst ?? false))
    .map(({ name, action, label }) => ({ kind: 'action', command: name, action, label: label(texts) }));
}

/** What lists all listings to vote for, in place of the link to one of several; null if no command does. */
export function listingsTarget(commands: readonly CommandDefinition[]): ActionTarget | null {
  for (const { name: command, offers = [] } of commands) {
    const offer = offers.find(({ place }) => place === 'listings');
    if (offer !== undefined) return { command, action: offer.action };
  }
  return null;
}

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

/** Where no listing is linked to the guild. */
export function noListing({ texts, commandId }: Pick<AnsweringContext, 'texts' | 'commandId'>): Reply {
  const text = texts.text('failure.noListing', { setup: commandMention('setup', commandId('setup')) });
  return { tone: 'bad', title: texts.text('failure.title'), text };
}
