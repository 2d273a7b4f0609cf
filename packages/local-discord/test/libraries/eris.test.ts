import { once } from 'node:events';
import { Client, CommandInteraction, ComponentInteraction, type Interaction, ModalSubmitInteraction } from 'eris';
import { plainAgent } from './plain-agent.ts';
import { payloads, playScenario, texts } from './scenario.ts';

playScenario('eris', async ({ apiUrl, token, guildId }) => {
  const { hostname } = new URL(apiUrl);
  // Eris sends its requests with node:https to the default port.
  const client = new Client(`Bot ${token}`, {
    intents: ['guilds'],
    rest: { agent: plainAgent(apiUrl), domain: hostname, baseURL: '/api/v10' },
  });
  client.on('interactionCreate', (interaction) => void answer(interaction));
  client.on('error', (error) => console.error(error));
  const ready = once(client, 'ready');
  await client.connect();
  await ready;
  await client.createGuildCommand(guildId, payloads.command);
  return () => client.disconnect({ reconnect: false });
});

async function answer(interaction: Interaction): Promise<void> {
  if (interaction instanceof CommandInteraction) {
    const [option] = interaction.data.options ?? [];
    const who = option !== undefined && 'value' in option ? String(option.value) : '';
    await interaction.createMessage(payloads.greeting(who));
  } else if (interaction instanceof ComponentInteraction) {
    const { name, content } = texts.file;
    if (interaction.data.custom_id === 'edit') await interaction.editParent({ content: texts.edited });
    else if (interaction.data.custom_id === 'file') {
      await interaction.createMessage({}, { name, file: Buffer.from(content) });
    } else await interaction.createModal(payloads.modal);
  } else if (interaction instanceof ModalSubmitInteraction) {
    const [row] = interaction.data.components;
    const [field] = row?.components ?? [];
    await interaction.createMessage(texts.thanks(interaction.member?.username ?? '', field?.value ?? ''));
  }
}
