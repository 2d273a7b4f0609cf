const { Collection, Events, MessageFlags } = require('discord.js');

module.exports = {
  name: Events.InteractionCreate,
  async execute(interaction) {
    if (interaction.isAutocomplete()) return autocomplete(interaction);
    if (interaction.isModalSubmit()) return submit(interaction);
    if (!interaction.isChatInputCommand()) return;
    const command = interaction.client.commands.get(interaction.commandName);
    if (!command) return;

    const { cooldowns } = interaction.client;
    if (!cooldowns.has(command.data.name)) cooldowns.set(command.data.name, new Collection());
    const timestamps = cooldowns.get(command.data.name);
    const cooldownMs = (command.cooldown ?? 0) * 1000;
    const expiresAt = (timestamps.get(interaction.user.id) ?? 0) + cooldownMs;
    if (Date.now() < expiresAt) {
      const again = `<t:${Math.round(expiresAt / 1000)}:R>`;
      return interaction.reply({ content: `You can use it again ${again}.`, flags: MessageFlags.Ephemeral });
    }
    timestamps.set(interaction.user.id, Date.now());

    try {
      await command.execute(interaction);
    } catch (error) {
      const content = `There was an error: ${error.message}`;
      if (interaction.replied || interaction.deferred) {
        await interaction.followUp({ content, flags: MessageFlags.Ephemeral });
      } else {
        await interaction.reply({ content, flags: MessageFlags.Ephemeral });
      }
    }
  },
};

async function autocomplete(interaction) {
  const command = interaction.client.commands.get(interaction.commandName);
  const focused = interaction.options.getFocused();
  const choices = command.choices.filter((choice) => choice.toLowerCase().startsWith(focused.toLowerCase()));
  await interaction.respond(choices.map((choice) => ({ name: choice, value: choice })));
}

async function submit(interaction) {
  if (interaction.customId !== 'profile') return;
  const colour = interaction.fields.getTextInputValue('colour');
  const hobbies = interaction.fields.getTextInputValue('hobbies');
  await interaction.reply({ content: `${colour}: ${hobbies}` });
}
