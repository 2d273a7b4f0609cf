import { once } from 'node:events';
import {
  type API,
  type APIInteraction,
  ApplicationCommandOptionType,
  Client,
  ComponentType,
  GatewayDispatchEvents,
  InteractionType,
} from '@discordjs/core';
import { REST } from '@discordjs/rest';
import { CompressionMethod, WebSocketManager } from '@discordjs/ws';
import { payloads, playScenario, texts } from './scenario.ts';

for (const compression of [null, CompressionMethod.ZlibNative]) {
  playScenario(
    `@discordjs/core${compression === null ? '' : ' with zlib-stream'}`,
    async ({ apiUrl, token, applicationId, guildId }) => {
      const rest = new REST({ version: '10', api: apiUrl }).setToken(token);
      const gateway = new WebSocketManager({ token, intents: 0, rest, compression });
      const client = new Client({ rest, gateway });
      client.on(GatewayDispatchEvents.InteractionCreate, ({ data, api }) => void answer(data, api));
      const ready = once(client, GatewayDispatchEvents.Ready);
      await gateway.connect();
      await ready;
      await client.api.applicationCommands.bulkOverwriteGuildCommands(applicationId, guildId, [payloads.command]);
      return () => gateway.destroy();
    },
  );
}

async function answer(interaction: APIInteraction, { interactions }: API): Promise<void> {
  const { id, token } = interaction;
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const [option] = 'options' in interaction.data ? (interaction.data.options ?? []) : [];
      const who = option?.type === ApplicationCommandOptionType.String ? option.value : '';
      await interactions.reply(id, token, payloads.greeting(who));
      break;
    }
    case InteractionType.MessageComponent:
      if (interaction.data.component_type !== ComponentType.Button) break;
      if (interaction.data.custom_id === 'edit') {
        await interactions.updateMessage(id, token, { content: texts.edited });
      } else if (interaction.data.custom_id === 'file') {
        const { name, content } = texts.file;
        await interactions.reply(id, token, { files: [{ name, data: content }] });
      } else await interactions.createModal(id, token, payloads.modal);
      break;
    case InteractionType.ModalSubmit: {
      const [row] = interaction.data.components;
      const field = row?.type === ComponentType.ActionRow ? row.components[0] : undefined;
      const words = field?.type === ComponentType.TextInput ? field.value : '';
      const username = interaction.member?.user.username ?? '';
      await interactions.reply(id, token, { content: texts.thanks(username, words) });
      break;
    }
  }
}
