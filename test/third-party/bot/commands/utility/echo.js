const { ChannelType, SlashCommandBuilder } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder()
    .setName('echo')
    .setDescription('Replies with your input!')
    .addSubcommand((subcommand) =>
      subcommand
        .setName('channel')
        .setDescription('Posts it in a channel')
        .addStringOption((option) =>
          option.setName('input').setDescription('The input').setRequired(true).setMaxLength(2000),
        )
        .addChannelOption((option) =>
          option
            .setName('target')
            .setDescription('The channel')
            .setRequired(true)
            .addChannelTypes(ChannelType.GuildText),
        ),
    )
    .addSubcommand((subcommand) =>
      subcommand
        .setName('later')
        .setDescription('Shows each way to respond')
        .addNumberOption((option) => option.setName('number').setDescription('A number').setMinValue(1).setMaxValue(9)),
    ),
  async execute(interaction) {
    if (interaction.options.getSubcommand() === 'channel') {
      const channel = interaction.options.getChannel('target');
      const message = await channel.send({
        content: interaction.options.getString('input'),
        allowedMentions: { parse: [] },
      });
      await message.edit(`${message.content}!`);
      const history = await channel.messages.fetch({ limit: 1 });
      await interaction.reply(`Sent: ${history.first().content}`);
      return;
    }
    await interaction.deferReply();
    await interaction.editReply(`Number ${interaction.options.getNumber('number') ?? 0}`);
    const first = await interaction.fetchReply();
    const second = await interaction.followUp(`After ${first.content}`);
    await interaction.deleteReply(second);
    await interaction.followUp({ content: 'Done', flags: 'Ephemeral' });
  },
};
