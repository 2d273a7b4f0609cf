import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  type Interaction,
  ModalBuilder,
  RoleSelectMenuBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, it } from 'vitest';
import type { ActivityLine } from '../src/page/activity.ts';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited } from '../testing/local.ts';
import { follow } from '../testing/page-client.ts';

const secret = 'tallyhook:setup/channel:l=server-0161ea1dad';

/** Every kind of control, all with the same kind of custom id, and a modal. */
const panel: Repertoire = {
  commands: [{ name: 'setup', description: 'Shows every control.' }],
  async answer(interaction: Interaction) {
    if (interaction.isChatInputCommand()) {
      const rows = [
        new ButtonBuilder().setCustomId(`${secret}0`).setLabel('Save').setStyle(ButtonStyle.Primary),
        new ButtonBuilder().setCustomId(`${secret}1`).setEmoji({ name: '🔔' }).setStyle(ButtonStyle.Primary),
        new ChannelSelectMenuBuilder().setCustomId(`${secret}2`),
        new RoleSelectMenuBuilder().setCustomId(`${secret}3`),
        new StringSelectMenuBuilder().setCustomId(`${secret}4`).addOptions({ label: 'One', value: 'one' }),
      ].map((control) => new ActionRowBuilder<never>().addComponents(control as never));
      await interaction.reply({ components: rows });
    } else if (interaction.isMessageComponent() && interaction.customId === `${secret}0`) {
      const input = new TextInputBuilder().setCustomId('x').setLabel('X').setStyle(TextInputStyle.Short);
      const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input.setRequired(false));
      await interaction.showModal(new ModalBuilder().setCustomId(secret).setTitle('Link').addComponents(row));
    } else if (interaction.isMessageComponent() || interaction.isModalSubmit()) {
      await interaction.deferUpdate();
    }
  },
};

it('the activity of Discord says what a member did, and shows no custom ids', async () => {
  const { discord, mira, general } = await inhabited({ page: true }, panel);
  const next = await follow(discord.origin);
  const { id: messageId } = await discord.runCommand({ name: 'setup', userId: mira.id, channelId: general }).settled;
  const use = async (index: number, values?: readonly string[]) => {
    const action = { messageId, userId: mira.id, customId: `${secret}${index}` };
    const handle = discord.select(values ? { ...action, values } : action);
    await handle.response;
    return handle;
  };
  const { id: interactionId } = await use(0);
  await discord.submitModal({ interactionId, userId: mira.id, values: { x: '' } }).response;
  await use(1);
  await use(2, [general]);
  await use(3, [discord.roles.voter]);
  await use(4, ['one']);
  for (const action of [
    'used /setup',
    'pressed “Save” in /setup',
    'submitted “Link”',
    'pressed 🔔 in /setup',
    'chose a channel in /setup',
    'chose a role in /setup',
    'chose an option in /setup',
  ]) {
    const expected = `mira ${action}: responded after`;
    const event = await next(
      ({ kind, line }) => kind === 'activity' && (line as ActivityLine).text.startsWith(expected),
    );
    expect(JSON.stringify(event)).not.toContain('tallyhook:');
  }
});
