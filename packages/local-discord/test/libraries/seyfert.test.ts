import https from 'node:https';
import {
  ActionRow,
  ApiHandler,
  AttachmentBuilder,
  Button,
  Client,
  Command,
  type CommandContext,
  ComponentCommand,
  type ComponentContext,
  Declare,
  Label,
  Modal,
  ModalCommand,
  type ModalContext,
  Options,
  TextInput,
} from 'seyfert';
import { plainAgent } from './plain-agent.ts';
import { playScenario, texts } from './scenario.ts';

const { description } = texts.option;
const options = { who: { type: 3 as const, description, required: true as const } };

class Panel extends Command {
  public override async run(context: CommandContext<typeof options>): Promise<void> {
    const buttons = texts.buttons.map(([id, label]) => new Button().setCustomId(id).setLabel(label).setStyle(1));
    const row = new ActionRow<Button>().setComponents(buttons);
    await context.write({ content: texts.greeting(context.options.who), components: [row] });
  }
}

class Press extends ComponentCommand {
  public override componentType = 'Button' as const;

  public override async run(context: ComponentContext<'Button'>): Promise<void> {
    const { name, content } = texts.file;
    if (context.customId === 'edit') await context.update({ content: texts.edited });
    else if (context.customId === 'file') {
      const file = new AttachmentBuilder().setName(name).setFile('buffer', Buffer.from(content));
      await context.write({ files: [file] });
    } else await context.modal(createModal());
  }
}

function createModal(): Modal {
  const { id, title, field } = texts.modal;
  const input = new TextInput().setCustomId(field.id).setStyle(1);
  return new Modal()
    .setCustomId(id)
    .setTitle(title)
    .addComponents(new Label().setLabel(field.label).setComponent(input));
}

class Thank extends ModalCommand {
  public override customId = texts.modal.id;

  public override async run(context: ModalContext): Promise<void> {
    const words = context.interaction.getInputValue(texts.modal.field.id, true);
    await context.write({ content: texts.thanks(context.author.username, String(words)) });
  }
}

playScenario('seyfert', async ({ origin, gatewayUrl, token }) => {
  const client = new Client({ getRC: () => ({ token, intents: 1, locations: { base: '.' }, debug: false }) });
  client.setServices({ rest: new ApiHandler({ token, domain: origin }) });
  // Its WebSocket knows only TLS on port 443, whatever the address of the gateway is.
  const { globalAgent } = https;
  https.globalAgent = plainAgent(gatewayUrl);
  client.commands?.set([Declare(texts.command)(Options(options)(Panel))]);
  client.components.set([Press, Thank]);
  const ready = Promise.withResolvers<void>();
  client.events.set([{ data: { name: 'botReady', once: true }, run: () => ready.resolve() }]);
  await client.start();
  await ready.promise;
  await client.uploadCommands();
  return () => {
    https.globalAgent = globalAgent;
    client.gateway.disconnectAll();
  };
});
