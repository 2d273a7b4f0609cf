const { SlashCommandBuilder } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('server').setDescription('Provides information about the server.'),
  async execute(interaction) {
    const { guild } = interaction;
    const channel = interaction.channel.permissionsFor(interaction.client.user).has('SendMessages');
    await interaction.reply(
      `${guild.name} has ${guild.memberCount} members and ${guild.roles.cache.size} roles; ${channel}`,
    );
  },
};
