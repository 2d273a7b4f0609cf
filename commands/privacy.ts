import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { joined } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { choiceOption } from '../src/discord/commands/command.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { Command, CommandContext } from './context.ts';

/** Larger files are compressed: Discord accepts 10 MiB per message (bytes). */
const maxFileSize = 8 * 1024 * 1024;

export const privacy = createPrivacy([]);

/** `/privacy` with an action that ends linked roles. */
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
      description: texts.text('privacy.description'),
      options: [
        {
          type: ApplicationCommandOptionType.String,
          name: 'action',
          description: texts.text('privacy.actionOption'),
          required: true,
          choices: [
            { name: texts.text('privacy.actions.export'), value: 'export' },
            { name: texts.text('privacy.actions.forget'), value: 'forget' },
            ...otherActions.map((value) => ({ name: texts.text(`privacy.actions.${value}`), value })),
          ],
        },
      ],
    }),
    async execute(input, context) {
      // The buttons are under a private reply, so nobody else can use them.
      if (input.action === 'cancel') {
        return {
          tone: 'plain',
          title: context.texts.text('privacy.titleCancelled'),
          text: context.texts.text('privacy.cancelled'),
          response: 'update',
        };
      }
      if (input.action === 'forget') {
        await context.memberData.forget(input.userId);
        return {
          tone: 'good',
          title: context.texts.text('privacy.titleForgotten'),
          text: context.texts.text('privacy.forgotten'),
          response: 'update',
        };
      }
      switch (choiceOption(input, 'action', ['export', 'forget', ...otherActions], 'export')) {
        case 'export':
          return exportReply(input.userId, context);
        case 'forget':
          return confirmation(context);
        case 'unlink': {
          const wasLinked = await context.memberData.unlink(input.userId);
          const text = wasLinked ? context.texts.text('privacy.unlinked') : context.texts.text('privacy.notLinked');
          return { tone: 'plain', title: context.texts.text('privacy.titleUnlinked'), text };
        }
      }
    },
  } as const satisfies Command;
}

async function exportReply(userId: string, { memberData, clock, texts }: CommandContext): Promise<Reply> {
  const json = await memberData.export(userId);
  if (json === null)
    return { tone: 'plain', title: texts.text('privacy.titleExport'), text: texts.text('privacy.nothing') };
  const content = Buffer.from(json);
  const isLarge = content.length > maxFileSize;
  const [date] = new Date(clock.now()).toISOString().split('T');
  return {
    tone: 'plain',
    title: texts.text('privacy.titleExport'),
    text: texts.text('privacy.exported'),
    files: [
      {
        name: `my-votes-${date}.json${isLarge ? '.gz' : ''}`,
        content: isLarge ? await promisify(gzip)(content) : content,
        description: texts.text('privacy.fileDescription'),
      },
    ],
  };
}

function confirmation({ communities, texts: { text } }: CommandContext): Reply {
  return {
    tone: 'wait',
    title: text('privacy.titleConfirm'),
    text: joined([communities === null ? null : text('privacy.everyCommunity'), text('privacy.confirm')], '\n\n'),
    buttons: [
      { kind: 'action', action: 'forget', label: text('privacy.confirmButton'), style: 'danger' },
      { kind: 'action', action: 'cancel', label: text('privacy.cancelButton') },
    ],
  };
}
