import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { ApplicationCommandOptionType, ButtonStyle, ComponentType, TextInputStyle } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { LocalDiscord, LocalDiscordOptions } from '../../src/local-discord.ts';
import { localDiscord } from '../../testing/local-discord.ts';

/** What every bot here does, in the words of its library. */
export const texts = {
  command: { name: 'panel', description: 'Shows a panel.' },
  /** A required text option; the bot greets it by its value. */
  option: { name: 'who', description: 'Whom to greet.' },
  greeting: (who: string) => `Hello, ${who}.`,
  /** The custom ids and labels of the three buttons below the greeting. */
  buttons: [
    ['edit', 'Edit'],
    ['file', 'File'],
    ['form', 'Form'],
  ],
  /** What `edit` makes of the greeting. The buttons stay. */
  edited: 'Edited.',
  /** What `file` replies with. */
  file: { name: 'tide.txt', content: 'High water at 07:40, Größe 3 m' },
  /** What `form` opens: a modal with one short text. */
  modal: { id: 'feedback', title: 'Feedback', field: { id: 'words', label: 'In your words' } },
  /** The reply to the modal. */
  thanks: (username: string, words: string) => `${username}: ${words}`,
} as const;

/** The greeting and the modal as Discord's API has them, for libraries that take them so. */
export const payloads = {
  greeting: (who: string) => ({
    content: texts.greeting(who),
    components: [
      {
        type: ComponentType.ActionRow as const,
        components: texts.buttons.map(([custom_id, label]) => ({
          ...{ type: ComponentType.Button as const, style: ButtonStyle.Primary as const },
          ...{ custom_id, label },
        })),
      },
    ],
  }),
  command: {
    ...texts.command,
    options: [{ ...texts.option, type: ApplicationCommandOptionType.String as const, required: true }],
  },
  modal: {
    custom_id: texts.modal.id,
    title: texts.modal.title,
    components: [
      {
        type: ComponentType.ActionRow as const,
        components: [
          {
            ...{ type: ComponentType.TextInput as const, style: TextInputStyle.Short as const },
            ...{ custom_id: texts.modal.field.id, label: texts.modal.field.label },
          },
        ],
      },
    ],
  },
};

/** Starts a bot, and registers its command in the guild or globally. Resolves when both are done, with what ends the bot. */
type StartBot = (discord: LocalDiscord) => Promise<(() => unknown) | undefined>;

/** A bot that uses a library replies, edits, sends a file and opens a modal. */
export function playScenario(library: string, start: StartBot, options: LocalDiscordOptions = {}): void {
  it(`${library} answers a command, buttons and a modal`, async () => {
    const discord = await localDiscord(options);
    const stop = await start(discord);
    onFinished(() => stop?.());
    const userId = discord.members[0]?.id ?? '';
    const where = { userId, channelId: discord.channels.general };

    const greeting = await discord.runCommand({ ...where, name: 'panel', options: { who: 'Tomás' } }).settled;
    expect(greeting.content).toBe('Hello, Tomás.');
    expect(greeting.components).toMatchObject([{ components: texts.buttons.map(([, label]) => ({ label })) }]);

    const edited = await discord.clickButton(greeting.id, 'edit', userId).settled;
    expect(edited).toMatchObject({ id: greeting.id, content: 'Edited.', edited_timestamp: expect.any(String) });

    const { attachments } = await discord.clickButton(greeting.id, 'file', userId).settled;
    expect(attachments.map(({ filename }) => filename)).toEqual(['tide.txt']);
    const download = await fetch(attachments[0]?.url ?? '');
    expect(await download.text()).toBe(texts.file.content);

    const opened = discord.clickButton(greeting.id, 'form', userId);
    expect(await opened.response).toMatchObject({ type: 9, data: { title: 'Feedback' } });
    const submitted = discord.submitModal({ interactionId: opened.id, userId, values: { words: 'So calm.' } });
    expect((await submitted.settled).content).toBe('mira: So calm.');

    // Discord asks each connection to reconnect now and then, and bots resume their sessions.
    if (discord.connected) {
      discord.faults.askToReconnect();
      await expect.poll(() => discord.dispatches.map(({ t }) => t), { timeout: 30_000 }).toContain('RESUMED');
      const again = await discord.runCommand({ ...where, name: 'panel', options: { who: 'Mira' } }).settled;
      expect(again.content).toBe('Hello, Mira.');
    }
  });
}
