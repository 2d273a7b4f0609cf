import 'reflect-metadata';
import { once } from 'node:events';
import {
  ApplicationCommandOptionType,
  type ButtonInteraction,
  type CommandInteraction,
  Events,
  type ModalSubmitInteraction,
} from 'discord.js';
import { ButtonComponent, Client, Discord, ModalComponent, Slash, SlashOption } from 'discordx';
import { payloads, playScenario, texts } from './scenario.ts';

class Panel {
  public async panel(who: string, interaction: CommandInteraction): Promise<void> {
    await interaction.reply(payloads.greeting(who));
  }

  public async press(interaction: ButtonInteraction): Promise<void> {
    if (interaction.customId === 'edit') await interaction.update(texts.edited);
    else if (interaction.customId === 'file') {
      const { name, content } = texts.file;
      await interaction.reply({ files: [{ name, attachment: Buffer.from(content) }] });
    } else await interaction.showModal(payloads.modal);
  }

  public async thank(interaction: ModalSubmitInteraction): Promise<void> {
    const words = interaction.fields.getTextInputValue('words');
    await interaction.reply(texts.thanks(interaction.user.username, words));
  }
}

// Decorators as functions: Node does not transform them.
const { prototype } = Panel;
const option = { ...texts.option, type: ApplicationCommandOptionType.String as const, required: true };
Slash(texts.command)(prototype, 'panel', {});
SlashOption(option)(prototype, 'panel', 0);
ButtonComponent({ id: /^(edit|file|form)$/ })(prototype, 'press', {});
ModalComponent({ id: texts.modal.id })(prototype, 'thank', {});
Discord()(Panel);

playScenario('discordx', async ({ apiUrl, token, guildId }) => {
  const client = new Client({ intents: [], rest: { api: apiUrl }, botGuilds: [guildId], silent: true });
  client.on(Events.InteractionCreate, (interaction) => void client.executeInteraction(interaction));
  const ready = once(client, Events.ClientReady);
  await client.login(token);
  await ready;
  await client.initApplicationCommands();
  return () => client.destroy();
});
