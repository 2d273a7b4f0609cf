import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { choiceOption } from '../src/discord/commands/input.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import { joined } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';

/** Larger files are compressed: Discord accepts 10 MiB per message (bytes). */
const maxFileSize = 8 * 1024 * 1024;

/** Exports or deletes what is stored about the member who runs it. */
export const privacy = createPrivacy([]);

/** With an action that ends linked roles. */
export const privacyWithLinks = createPrivacy(['unlink']);

function createPrivacy(otherActions: readonly 'unlink'[]) {
  return {
    name: 'privacy',
    visibility: 'private',
    actions: ['forget', 'cancel'],
    availability: 'everywhere',
    notesMember: false,
    worksWithoutListing: true,
    describe: ({ texts }) => ({
      description: texts.privacy.description,
      options: [
        {
          type: ApplicationCommandOptionType.String,
          name: 'action',
          description: texts.privacy.actionOption,
          required: true,
          choices: [
            { name: texts.privacy.actions.export, value: 'export' },
            { name: texts.privacy.actions.forget, value: 'forget' },
            ...otherActions.map((value) => ({ name: texts.privacy.actions[value], value })),
          ],
        },
      ],
    }),
    async execute(input, context) {
      const { privacy: texts } = context.texts;
      // The buttons are under a private reply, so nobody else can use them.
      if (input.action === 'cancel') {
        return { tone: 'plain', title: texts.titleCancelled, text: texts.cancelled, response: 'update' };
      }
      if (input.action === 'forget') {
        await context.memberData.forget(input.userId);
        return { tone: 'good', title: texts.titleForgotten, text: texts.forgotten, response: 'update' };
      }
      switch (choiceOption(input, 'action', ['export', 'forget', ...otherActions], 'export')) {
        case 'export':
          return exportReply(input.userId, context);
        case 'forget':
          return confirmation(context);
        case 'unlink': {
          const wasLinked = await context.memberData.unlink(input.userId);
          const text = wasLinked ? texts.unlinked : texts.notLinked;
          return { tone: 'plain', title: texts.titleUnlinked, text };
        }
      }
    },
  } as const satisfies Command;
}

async function exportReply(userId: string, { memberData, clock, texts }: CommandContext): Promise<Reply> {
  const json = await memberData.export(userId);
  if (json === null) return { tone: 'plain', title: texts.privacy.titleExport, text: texts.privacy.nothing };
  const content = Buffer.from(json);
  const isLarge = content.length > maxFileSize;
  const [date] = new Date(clock.now()).toISOString().split('T');
  return {
    tone: 'plain',
    title: texts.privacy.titleExport,
    text: texts.privacy.exported,
    files: [
      {
        name: `my-votes-${date}.json${isLarge ? '.gz' : ''}`,
        content: isLarge ? await promisify(gzip)(content) : content,
        description: texts.privacy.fileDescription,
      },
    ],
  };
}

function confirmation({ communities, texts: { privacy: texts } }: CommandContext): Reply {
  return {
    tone: 'wait',
    title: texts.titleConfirm,
    text: joined([communities === null ? null : texts.everyCommunity, texts.confirm], '\n\n'),
    buttons: [
      { kind: 'action', action: 'forget', label: texts.confirmButton, style: 'danger' },
      { kind: 'action', action: 'cancel', label: texts.cancelButton },
    ],
  };
}
