import {
  ButtonStyle,
  type ChatInputCommandInteraction,
  ComponentType,
  type Interaction,
  LabelBuilder,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import type { Repertoire } from './bot.ts';

const harbours = ['Amber Quay', 'Anchor Bay', 'Lantern Harbour'];

const commands = [
  {
    name: 'find',
    description: 'Finds a harbour.',
    options: [
      { type: 4, name: 'berths', description: 'How many.', min_value: 1 },
      { type: 3, name: 'harbour', description: 'Which one.', autocomplete: true, required: false },
    ],
  },
  { name: 'feedback', description: 'Opens a form.' },
  { name: 'pick', description: 'Shows selects.' },
];

/** A bot with autocomplete, modals and selects. */
export const formsBot: Repertoire = { commands, answer };

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) {
    const { name, value } = interaction.options.getFocused(true);
    const berths = interaction.options.getInteger('berths');
    const found = harbours.filter((harbour) => harbour.toLowerCase().includes(value.toLowerCase()));
    await interaction.respond(
      found.map((harbour) => ({ name: harbour, value: `${name}/${harbours.indexOf(harbour)}/${berths ?? 'any'}` })),
    );
  } else if (interaction.isChatInputCommand()) await answerCommand(interaction);
  else if (interaction.isButton()) await interaction.showModal(form());
  else if (interaction.isModalSubmit()) {
    const words = interaction.fields.getTextInputValue('words');
    const stars = interaction.fields.getStringSelectValues('stars').join(', ');
    const text = `${interaction.user.username} gave ${stars}: ${words}`;
    if (interaction.isFromMessage()) await interaction.update({ content: text, components: [] });
    else await interaction.reply(text);
  } else if (interaction.isStringSelectMenu()) await interaction.reply(`picked ${interaction.values.join(' and ')}`);
  else if (interaction.isUserSelectMenu())
    await interaction.reply(`picked ${interaction.users.map(({ username }) => username).join()}`);
  else if (interaction.isRoleSelectMenu())
    await interaction.reply(`picked ${interaction.roles.map((role) => role?.name).join()}`);
  else if (interaction.isChannelSelectMenu())
    await interaction.reply(
      `picked ${interaction.channels.map((channel) => channel && 'name' in channel && channel.name).join()}`,
    );
}

async function answerCommand(interaction: ChatInputCommandInteraction): Promise<void> {
  if (interaction.commandName === 'find') {
    await interaction.reply(`found ${interaction.options.getString('harbour')}`);
  } else if (interaction.commandName === 'feedback') await interaction.showModal(form());
  else {
    const colors = ['red', 'green', 'blue'].map((value) => ({ label: value.toUpperCase(), value }));
    await interaction.reply({
      content: 'Pick.',
      components: [
        row({
          type: ComponentType.StringSelect,
          custom_id: 'colors',
          placeholder: 'Colours',
          min_values: 2,
          max_values: 3,
          options: colors,
        }),
        row({ type: ComponentType.UserSelect, custom_id: 'who', placeholder: 'Somebody' }),
        row({ type: ComponentType.RoleSelect, custom_id: 'role', placeholder: 'A role' }),
        row({ type: ComponentType.ChannelSelect, custom_id: 'channel', placeholder: 'A channel' }),
        row({ type: ComponentType.Button, style: ButtonStyle.Primary, custom_id: 'form', label: 'Write' }),
      ],
    });
  }
}

function form() {
  const words = new TextInputBuilder().setCustomId('words').setStyle(TextInputStyle.Paragraph).setMinLength(3);
  const stars = new StringSelectMenuBuilder()
    .setCustomId('stars')
    .addOptions([1, 2, 3].map((count) => ({ label: '★'.repeat(count), value: `${count} stars` })));
  return new ModalBuilder()
    .setCustomId('feedback')
    .setTitle('Your feedback')
    .addLabelComponents(
      new LabelBuilder()
        .setLabel('In your words')
        .setDescription('Three letters at least.')
        .setTextInputComponent(words),
      new LabelBuilder().setLabel('How many stars').setStringSelectMenuComponent(stars),
    );
}

function row<Component>(component: Component) {
  return { type: ComponentType.ActionRow, components: [component] } as const;
}
