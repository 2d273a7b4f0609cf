const { SlashCommandBuilder } = require('discord.js');

module.exports = {
  choices: ['Popular Topics: Threads', 'Popular Topics: Embeds', 'Sharding: Getting started'],
  data: new SlashCommandBuilder()
    .setName('guide')
    .setDescription('Searches a guide')
    .addStringOption((option) =>
      option.setName('query').setDescription('Phrase to search for').setAutocomplete(true).setRequired(true),
    ),
  async execute(interaction) {
    await interaction.reply(`Found ${interaction.options.getString('query')}`);
  },
};
