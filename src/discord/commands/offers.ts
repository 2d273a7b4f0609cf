import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import type { Texts } from '../../texts/texts.ts';
import type { CommandDefinition, CommandOffer } from './command.ts';
import type { ActionTarget, ReplyButton } from './reply.ts';

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

/** Those of votes. The same objects again, so that they are rendered once. */
export const voteOffers = memoizeByIdentity((offered: readonly CommandDefinition[], texts: Texts) =>
  offersAt('vote', offered, texts),
);
