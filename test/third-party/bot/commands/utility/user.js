const { EmbedBuilder, SlashCommandBuilder, time } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder()
    .setName('user')
    .setDescription('Provides information about a member.')
    .addUserOption((option) => option.setName('target').setDescription('The member')),
  async execute(interaction) {
    const user = interaction.options.getUser('target') ?? interaction.user;
    const member = interaction.options.getMember('target') ?? interaction.member;
    const fetched = await interaction.guild.members.fetch(user.id);
    const embed = new EmbedBuilder()
      .setColor(0x0099ff)
      .setTitle(user.username)
      .setThumbnail(user.displayAvatarURL())
      .addFields({ name: 'Joined', value: time(member.joinedAt), inline: true })
      .setFooter({ text: fetched.roles.highest.name })
      .setTimestamp();
    await interaction.reply({ embeds: [embed] });
  },
};
