import { FileUploadBuilder, LabelBuilder, ModalBuilder } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited } from '../testing/local.ts';
import { formsBot } from '../testing/modals-bot.ts';

async function withForms() {
  const { discord, mira, tomas, general } = await inhabited({}, formsBot);
  const where = { userId: mira.id, channelId: general };
  return { discord, mira, tomas, where };
}

/** Asks for a file, and says what it got. */
const filesBot: Repertoire = {
  commands: [{ name: 'send', description: 'Asks for a file.' }],
  async answer(interaction) {
    if (interaction.isChatInputCommand()) {
      const upload = new LabelBuilder()
        .setLabel('File')
        .setFileUploadComponent(new FileUploadBuilder().setCustomId('file'));
      await interaction.showModal(new ModalBuilder().setCustomId('m').setTitle('Send').addLabelComponents(upload));
    } else if (interaction.isModalSubmit()) {
      const file = interaction.fields.getUploadedFiles('file', true).first();
      const text = file && (await (await fetch(file.url)).text());
      await interaction.reply(`${file?.name} (${file?.contentType}, ${file?.size}): ${text}`);
    }
  },
};

describe('autocomplete', () => {
  it('sends the text so far to the bot and returns its choices', async () => {
    const { discord, where } = await withForms();
    const choices = await discord.autocomplete({
      ...where,
      name: 'find',
      options: { berths: 3 },
      focused: { name: 'harbour', value: 'an' },
    });
    expect(choices).toEqual([
      { name: 'Anchor Bay', value: 'harbour/1/3' },
      { name: 'Lantern Harbour', value: 'harbour/2/3' },
    ]);
    const used = discord.runCommand({ ...where, name: 'find', options: { harbour: 'harbour/1/3' } });
    expect((await used.settled).content).toBe('found harbour/1/3');
  });

  it('is rejected for an option without autocomplete', async () => {
    const { discord, where } = await withForms();
    const asked = discord.autocomplete({ ...where, name: 'find', focused: { name: 'berths', value: '1' } });
    await expect(asked).rejects.toThrow('has no autocomplete for berths');
  });
});

describe('a modal', () => {
  it('is opened by a command, submitted once, and answered', async () => {
    const { discord, mira, tomas, where } = await withForms();
    const opened = discord.runCommand({ ...where, name: 'feedback' });
    expect(await opened.response).toMatchObject({ type: 9, data: { title: 'Your feedback', components: [{}, {}] } });
    const use = { interactionId: opened.id, userId: mira.id, values: { words: 'So calm.', stars: ['3 stars'] } };
    expect(() => discord.submitModal({ ...use, userId: tomas.id })).toThrow('no such modal');
    const sent = discord.submitModal(use);
    const answer = await sent.settled;
    expect(answer.content).toBe('mira gave 3 stars: So calm.');
    expect(answer.interaction_metadata).toMatchObject({
      type: 5,
      user: { id: mira.id },
      triggering_interaction_metadata: { id: opened.id, type: 2 },
    });
    expect(() => discord.submitModal(use)).toThrow('no such modal');
  });

  it('is opened by a button and can edit the message of that button', async () => {
    const { discord, mira, where } = await withForms();
    const shown = await discord.runCommand({ ...where, name: 'pick' }).settled;
    const opened = discord.clickButton(shown.id, 'form', mira.id);
    await opened.response;
    const values = { words: 'Well.', stars: ['1 stars'] };
    const sent = discord.submitModal({ interactionId: opened.id, userId: mira.id, values });
    expect(await sent.settled).toMatchObject({ id: shown.id, content: 'mira gave 1 stars: Well.', components: [] });
  });

  it.each([
    ['a field is empty', { stars: ['1 stars'] }, 'required field is empty'],
    ['a text is too short', { words: 'a', stars: ['1 stars'] }, 'too short'],
    ['nothing was picked', { words: 'Well.' }, 'requires 1 to 1 values'],
    ['something else was picked', { words: 'Well.', stars: ['9 stars'] }, 'does not have this option'],
  ])('cannot be submitted while %s', async (_what, values, complaint) => {
    const { discord, mira, where } = await withForms();
    const opened = discord.runCommand({ ...where, name: 'feedback' });
    await opened.response;
    expect(() => discord.submitModal({ interactionId: opened.id, userId: mira.id, values })).toThrow(complaint);
  });
});

describe('the upload of a file in a modal', () => {
  it('is served to the bot, and required', async () => {
    const { discord, mira, general } = await inhabited({}, filesBot);
    const opened = discord.runCommand({ userId: mira.id, channelId: general, name: 'send' });
    await opened.response;
    const use = { interactionId: opened.id, userId: mira.id };
    expect(() => discord.submitModal({ ...use, values: {} })).toThrow('A required file is missing');
    const file = { filename: 'my codes.txt', contentType: '', bytes: Buffer.from('AAA-1') };
    const sent = await discord.submitModal({ ...use, values: { file } }).settled;
    expect(sent.content).toBe('my_codes.txt (text/plain, 5): AAA-1');
  });
});

describe('a select', () => {
  it.each([
    ['colors', ['red', 'blue'], 'picked red and blue'],
    ['who', ['tomas'], 'picked tomas.k'],
    ['role', ['voter'], 'picked Member'],
    ['channel', ['general'], 'picked general'],
  ])('%s sends the selected values and the resolved objects', async (customId, picked, text) => {
    const { discord, mira, tomas, where } = await withForms();
    const ids: Record<string, string> = {
      tomas: tomas.id,
      voter: discord.roles.voter,
      general: discord.channels.general,
    };
    const shown = await discord.runCommand({ ...where, name: 'pick' }).settled;
    const values = picked.map((name) => ids[name] ?? name);
    const used = discord.select({ messageId: shown.id, customId, userId: mira.id, values });
    const answer = await used.settled;
    expect(answer.content).toBe(text);
    expect(answer.interaction_metadata).toMatchObject({ type: 3, interacted_message_id: shown.id });
  });

  it.each([
    ['too few', 'colors', ['red'], 'requires 2 to 3 values'],
    ['the same twice', 'colors', ['red', 'red'], 'twice'],
    ['what is not offered', 'colors', ['red', 'pink'], 'does not have this option'],
    ['nobody', 'who', ['1'], 'does not have this option'],
    ['several where one is asked for', 'role', ['1', '2'], 'requires 1 to 1 values'],
  ])('rejects %s', async (_what, customId, values, complaint) => {
    const { discord, mira, where } = await withForms();
    const shown = await discord.runCommand({ ...where, name: 'pick' }).settled;
    expect(() => discord.select({ messageId: shown.id, customId, userId: mira.id, values })).toThrow(complaint);
  });
});
