const { ActionRowBuilder, ModalBuilder, SlashCommandBuilder, TextInputBuilder, TextInputStyle } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('profile').setDescription('Opens a modal.'),
  async execute(interaction) {
    const modal = new ModalBuilder().setCustomId('profile').setTitle('My profile');
    const colour = new TextInputBuilder()
      .setCustomId('colour')
      .setLabel('Your favourite colour')
      .setStyle(TextInputStyle.Short);
    const hobbies = new TextInputBuilder()
      .setCustomId('hobbies')
      .setLabel('Your favourite hobbies')
      .setStyle(TextInputStyle.Paragraph);
    modal.addComponents(new ActionRowBuilder().addComponents(colour), new ActionRowBuilder().addComponents(hobbies));
    await interaction.showModal(modal);
  },
};
