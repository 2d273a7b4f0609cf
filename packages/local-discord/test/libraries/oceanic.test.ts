import { once } from 'node:events';
import { type AnyInteractionGateway, Client, type ModalActionRow } from 'oceanic.js';
import { playScenario, texts } from './scenario.ts';

playScenario('oceanic.js', async ({ apiUrl, token, guildId }) => {
  const client = new Client({
    auth: `Bot ${token}`,
    rest: { baseURL: `${apiUrl}/v10` },
    gateway: { intents: ['GUILDS'] },
  });
  client.on('interactionCreate', (interaction) => void answer(interaction));
  client.on('error', (error) => console.error(error));
  const ready = once(client, 'ready');
  await client.connect();
  await ready;
  await client.application.createGuildCommand(guildId, {
    type: 1,
    ...texts.command,
    options: [{ ...texts.option, type: 3, required: true }],
  });
  return () => client.disconnect(false);
});

async function answer(interaction: AnyInteractionGateway): Promise<void> {
  if (interaction.isCommandInteraction()) {
    const who = interaction.data.options.getString('who', true);
    const buttons = texts.buttons.map(([customID, label]) => ({
      type: 2 as const,
      style: 1 as const,
      customID,
      label,
    }));
    await interaction.createMessage({
      content: texts.greeting(who),
      components: [{ type: 1, components: buttons }],
    });
  } else if (interaction.isComponentInteraction()) {
    const { name, content } = texts.file;
    if (interaction.data.customID === 'edit') await interaction.editParent({ content: texts.edited });
    else if (interaction.data.customID === 'file') {
      await interaction.createMessage({ files: [{ name, contents: Buffer.from(content) }] });
    } else await interaction.createModal(modal());
  } else if (interaction.isModalSubmitInteraction()) {
    const words = interaction.data.components.getTextInput('words', true);
    await interaction.createMessage({ content: texts.thanks(interaction.user.username, words) });
  }
}

function modal() {
  const { id, title, field } = texts.modal;
  const row: ModalActionRow = { type: 1, components: [{ type: 4, style: 1, customID: field.id, label: field.label }] };
  return { customID: id, title, components: [row] };
}
