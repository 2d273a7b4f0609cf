import { once } from 'node:events';
import {
  Command,
  Events,
  InteractionHandler,
  InteractionHandlerTypes,
  LogLevel,
  SapphireClient,
} from '@sapphire/framework';
import type { ButtonInteraction, ChatInputCommandInteraction, ModalSubmitInteraction } from 'discord.js';
import { payloads, playScenario, texts } from './scenario.ts';

class Panel extends Command {
  public constructor(context: Command.LoaderContext, options: Command.Options) {
    super(context, { ...options, ...texts.command });
  }

  public override registerApplicationCommands(registry: Command.Registry): void {
    const { option } = texts;
    registry.registerChatInputCommand((builder) =>
      builder
        .setName(this.name)
        .setDescription(this.description)
        .addStringOption((who) => who.setName(option.name).setDescription(option.description).setRequired(true)),
    );
  }

  public override async chatInputRun(interaction: ChatInputCommandInteraction): Promise<void> {
    await interaction.reply(payloads.greeting(interaction.options.getString('who', true)));
  }
}

class Buttons extends InteractionHandler {
  public constructor(context: InteractionHandler.LoaderContext, options: InteractionHandler.Options) {
    super(context, { ...options, interactionHandlerType: InteractionHandlerTypes.Button });
  }

  public override async run(interaction: ButtonInteraction): Promise<void> {
    if (interaction.customId === 'edit') await interaction.update(texts.edited);
    else if (interaction.customId === 'file') {
      const { name, content } = texts.file;
      await interaction.reply({ files: [{ name, attachment: Buffer.from(content) }] });
    } else await interaction.showModal(payloads.modal);
  }
}

class Feedback extends InteractionHandler {
  public constructor(context: InteractionHandler.LoaderContext, options: InteractionHandler.Options) {
    super(context, { ...options, interactionHandlerType: InteractionHandlerTypes.ModalSubmit });
  }

  public override async run(interaction: ModalSubmitInteraction): Promise<void> {
    const words = interaction.fields.getTextInputValue('words');
    await interaction.reply(texts.thanks(interaction.user.username, words));
  }
}

playScenario('@sapphire/framework', async ({ apiUrl, token }) => {
  const logger = { level: LogLevel.Warn };
  const client = new SapphireClient({ intents: [], rest: { api: apiUrl }, baseUserDirectory: null, logger });
  await client.stores.loadPiece({ store: 'commands', name: 'panel', piece: Panel });
  await client.stores.loadPiece({ store: 'interaction-handlers', name: 'buttons', piece: Buttons });
  await client.stores.loadPiece({ store: 'interaction-handlers', name: 'feedback', piece: Feedback });
  const registered = once(client, Events.ApplicationCommandRegistriesRegistered);
  await client.login(token);
  await registered;
  return () => client.destroy();
});
