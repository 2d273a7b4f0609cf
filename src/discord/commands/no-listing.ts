import { commandMention } from '@tallyhook/platform/texts/markup';
import type { AnsweringContext } from './command.ts';
import type { Reply } from './reply.ts';

/** Where no listing is linked to the guild. */
export function noListing({ texts, commandId }: Pick<AnsweringContext, 'texts' | 'commandId'>): Reply {
  const text = texts.text('failure.noListing', { setup: commandMention('setup', commandId('setup')) });
  return { tone: 'bad', title: texts.text('failure.title'), text };
}
