import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type Command, type CommandContext, choiceOption } from './command.ts';
import type { Reply } from './reply.ts';

/** Larger files are compressed: Discord accepts 10 MiB per message (bytes). */
const maxFileSize = 8 * 1024 * 1024;

/** Exports or deletes what is stored about the member who runs it. */
export const privacy = {
  name: 'privacy',
  visibility: 'private',
  hasPages: false,
  actions: ['forget', 'cancel'],
  inDirectMessages: true,
  notesMember: false,
  worksWithoutListing: true,
  isServedBy: () => true,
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
    return choiceOption(input, 'action', ['export', 'forget'], 'export') === 'export'
      ? exportReply(input.userId, context)
      : confirmation(context);
  },
} as const satisfies Command;

async function exportReply(userId: string, { memberData, texts }: CommandContext): Promise<Reply> {
  const json = await memberData.export(userId);
  if (json === null) return { tone: 'plain', title: texts.privacy.titleExport, text: texts.privacy.nothing };
  const content = Buffer.from(json);
  const isLarge = content.length > maxFileSize;
  return {
    tone: 'plain',
    title: texts.privacy.titleExport,
    text: texts.privacy.exported,
    files: [
      {
        name: `tallyhook-${userId}.json${isLarge ? '.gz' : ''}`,
        content: isLarge ? await promisify(gzip)(content) : content,
        description: texts.privacy.fileDescription,
      },
    ],
  };
}

function confirmation({ texts: { privacy: texts } }: CommandContext): Reply {
  return {
    tone: 'wait',
    title: texts.titleConfirm,
    text: texts.confirm,
    buttons: [
      { kind: 'action', action: 'forget', label: texts.confirmButton, style: 'danger' },
      { kind: 'action', action: 'cancel', label: texts.cancelButton },
    ],
  };
}
