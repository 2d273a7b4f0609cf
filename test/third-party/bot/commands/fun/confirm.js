const { ActionRowBuilder, ButtonBuilder, ButtonStyle, ComponentType, SlashCommandBuilder } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('confirm').setDescription('Asks, and waits for a button.'),
  async execute(interaction) {
    const buttons = new ActionRowBuilder().addComponents(
      new ButtonBuilder().setCustomId('yes').setLabel('Yes').setStyle(ButtonStyle.Danger),
      new ButtonBuilder().setCustomId('no').setLabel('No').setStyle(ButtonStyle.Secondary),
    );
    const response = await interaction.reply({ content: 'Sure?', components: [buttons], withResponse: true });
    const filter = (pressed) => pressed.user.id === interaction.user.id;
    const pressing = response.resource.message.awaitMessageComponent({
      filter,
      componentType: ComponentType.Button,
      time: 60_000,
    });
    console.log('Waiting for a button');
    const pressed = await pressing;
    await pressed.update({ content: `You said ${pressed.customId}.`, components: [] });
  },
};
