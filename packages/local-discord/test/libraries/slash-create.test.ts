import { serve } from '@tallyhook/platform/testing/serve';
import express from 'express';
import {
  ButtonStyle,
  type CommandContext,
  CommandOptionType,
  type ComponentContext,
  ComponentType,
  ExpressServer,
  type ModalInteractionContext,
  SlashCommand,
  SlashCreator,
  TextInputStyle,
} from 'slash-create';
import { playScenario, texts } from './scenario.ts';

const primaryButton = { type: ComponentType.BUTTON, style: ButtonStyle.PRIMARY } as const;

class Panel extends SlashCommand {
  public constructor(creator: SlashCreator) {
    const options = [{ ...texts.option, type: CommandOptionType.STRING, required: true } as const];
    super(creator, { ...texts.command, options });
  }

  public override async run(context: CommandContext): Promise<void> {
    const components = texts.buttons.map(([custom_id, label]) => ({ ...primaryButton, custom_id, label }));
    const content = texts.greeting(context.options['who']);
    await context.send({ content, components: [{ type: ComponentType.ACTION_ROW, components }] });
  }
}

playScenario('slash-create', async (discord) => {
  const { apiUrl, applicationId: applicationID, publicKey, token } = discord;
  const creator = new SlashCreator({ applicationID, publicKey, token, rest: { baseURL: `${apiUrl}/v10` } });
  creator.on('componentInteraction', (context) => void press(context));
  creator.on('modalInteraction', (context) => void thank(context));
  const app = express();
  creator.withServer(new ExpressServer(app, { alreadyListening: true })).registerCommand(Panel);
  await creator.startServer();
  const endpoint = await serve(app);
  await creator.syncCommands();
  await discord.setInteractionsEndpoint(`${endpoint}/interactions`);
  return undefined;
});

async function press(context: ComponentContext): Promise<void> {
  const { name, content } = texts.file;
  const { id, title, field } = texts.modal;
  if (context.customID === 'edit') await context.editParent(texts.edited);
  else if (context.customID === 'file') await context.send({ files: [{ name, file: Buffer.from(content) }] });
  else {
    const input = {
      type: ComponentType.TEXT_INPUT as const,
      custom_id: field.id,
      label: field.label,
      style: TextInputStyle.SHORT,
    };
    await context.sendModal({
      custom_id: id,
      title,
      components: [{ type: ComponentType.ACTION_ROW, components: [input] }],
    });
  }
}

async function thank(context: ModalInteractionContext): Promise<void> {
  await context.send(texts.thanks(context.user.username, String(context.values['words'])));
}
