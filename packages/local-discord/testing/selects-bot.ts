import {
  ChannelSelectMenuBuilder,
  ChannelType,
  type Interaction,
  LabelBuilder,
  MentionableSelectMenuBuilder,
  ModalBuilder,
  RoleSelectMenuBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';
import type { Repertoire } from './bot.ts';

const commands = ['award', 'who'].map((name) => ({ name, description: 'Opens a form.' }));

/** A bot whose modals contain every kind of select, and text displays. */
export const selectsBot: Repertoire = {
  commands,
  async answer(interaction: Interaction) {
    if (interaction.isChatInputCommand()) {
      await interaction.showModal(interaction.commandName === 'award' ? awardForm() : peopleForm());
    } else if (interaction.isModalSubmit()) {
      const { fields } = interaction;
      const described =
        interaction.customId === 'award'
          ? {
              to: fields.getSelectedUsers('to')?.map(({ username }) => username) ?? [],
              role: fields.getSelectedRoles('role')?.map((role) => role?.name) ?? [],
              where: fields.getSelectedChannels('where')?.map((channel) => channel?.id) ?? [],
              kind: fields.getStringSelectValues('kind'),
              ids: fields.components.map(({ id }) => id),
            }
          : {
              users: fields.getSelectedMentionables('who')?.users.map(({ username }) => username),
              members: fields.getSelectedMembers('who')?.size,
              roles: fields.getSelectedMentionables('who')?.roles.map((role) => role?.name),
              why: fields.getTextInputValue('why'),
              types: fields.components.map(({ type }) => type),
            };
      await interaction.reply(JSON.stringify(described));
    }
  },
};

function awardForm(): ModalBuilder {
  const to = new UserSelectMenuBuilder().setCustomId('to').setMaxValues(2);
  const role = new RoleSelectMenuBuilder().setCustomId('role').setRequired(false).setMinValues(0);
  const where = new ChannelSelectMenuBuilder().setCustomId('where').addChannelTypes(ChannelType.GuildText);
  const kinds = ['vip', 'key'].map((value) => ({ label: value.toUpperCase(), value, description: `Item ${value}` }));
  const kind = new StringSelectMenuBuilder().setCustomId('kind').addOptions(kinds);
  return new ModalBuilder()
    .setCustomId('award')
    .setTitle('Award')
    .addTextDisplayComponents((text) => text.setContent('Choose **well**.').setId(2))
    .addLabelComponents(
      new LabelBuilder().setLabel('Members').setDescription('Up to two.').setUserSelectMenuComponent(to),
      new LabelBuilder().setLabel('Role').setRoleSelectMenuComponent(role),
      new LabelBuilder().setLabel('Channel').setChannelSelectMenuComponent(where),
      new LabelBuilder().setLabel('Item').setStringSelectMenuComponent(kind),
    );
}

function peopleForm(): ModalBuilder {
  const who = new MentionableSelectMenuBuilder().setCustomId('who').setMaxValues(3);
  const why = new TextInputBuilder().setCustomId('why').setStyle(TextInputStyle.Short).setRequired(false);
  return new ModalBuilder()
    .setCustomId('who')
    .setTitle('Who')
    .addLabelComponents(
      new LabelBuilder().setLabel('Who').setMentionableSelectMenuComponent(who),
      new LabelBuilder().setLabel('Why').setTextInputComponent(why),
    );
}
