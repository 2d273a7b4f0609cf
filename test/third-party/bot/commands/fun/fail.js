const { SlashCommandBuilder } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('fail').setDescription('Fails.'),
  async execute() {
    throw new Error('on purpose');
  },
};
