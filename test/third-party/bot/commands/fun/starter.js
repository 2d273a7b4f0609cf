const {
  ActionRowBuilder,
  ComponentType,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  StringSelectMenuOptionBuilder,
  UserSelectMenuBuilder,
} = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('starter').setDescription('Collects what members select.'),
  async execute(interaction) {
    const select = new StringSelectMenuBuilder()
      .setCustomId('starter')
      .setPlaceholder('Make a selection!')
      .addOptions(
        ...['Leaf', 'Flame', 'Wave'].map((name) =>
          new StringSelectMenuOptionBuilder()
            .setLabel(name)
            .setDescription(`The ${name} type`)
            .setValue(name.toLowerCase()),
        ),
      );
    const users = new UserSelectMenuBuilder().setCustomId('users').setMaxValues(3);
    const reply = await interaction.reply({
      content: 'Choose!',
      components: [new ActionRowBuilder().addComponents(select), new ActionRowBuilder().addComponents(users)],
      withResponse: true,
    });
    const collector = reply.resource.message.createMessageComponentCollector({ time: 60_000, max: 2 });
    console.log('Collecting selections');
    collector.on('collect', async (selected) => {
      const chosen =
        selected.componentType === ComponentType.UserSelect
          ? selected.users.map((user) => user.username).join(' and ')
          : selected.values.join();
      if (selected.componentType === ComponentType.UserSelect) await selected.deferUpdate();
      else await selected.reply(`${selected.user.username} has selected ${chosen}!`);
    });
    collector.on('end', async (collected) => {
      await interaction.followUp(`Collected ${collected.size} selections.`);
    });
  },
};
