import {
  ButtonStyle,
  type ChatInputCommandInteraction,
  ComponentType,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import type { Repertoire } from './bot.ts';

const string = 3;
const integer = 4;
const user = 6;

const commands = [
  {
    name: 'canvote',
    description: 'See whether you can vote, or when you can vote again.',
    options: [{ type: user, name: 'user', description: 'Somebody else than you.' }],
  },
  {
    name: 'reviews',
    description: 'Read what people say about this server.',
    options: [
      {
        type: string,
        name: 'sort',
        description: 'Which reviews come first.',
        choices: ['newest', 'highest', 'lowest'].map((name) => ({ name, value: name })),
      },
      { type: integer, name: 'limit', description: 'How many, up to 50.', min_value: 1, max_value: 50 },
    ],
  },
  { name: 'slow', description: 'Thinks, then answers.' },
  { name: 'silent', description: 'Never answers.' },
];

/** Commands like those of a vote bot, a slow one, and one that never responds. */
export const voteBot: Repertoire = { commands, answer };

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isButton()) await interaction.update(reviewsPage(Number(interaction.customId.split(':')[1])));
  else if (interaction.isChatInputCommand()) await answerCommand(interaction);
}

async function answerCommand(interaction: ChatInputCommandInteraction): Promise<void> {
  switch (interaction.commandName) {
    case 'canvote': {
      const asked = interaction.options.getUser('user') ?? interaction.user;
      await interaction.reply({
        flags: MessageFlags.Ephemeral,
        embeds: [{ color: 0x57f287, title: 'Ready to vote', description: `<@${asked.id}> can vote <t:1893456000:R>.` }],
        components: [
          row([
            { type: ComponentType.Button, style: ButtonStyle.Link, label: 'Vote', url: 'https://example.com/vote' },
          ]),
        ],
      });
      return;
    }
    case 'reviews':
      await interaction.reply(reviewsPage(1));
      return;
    case 'slow':
      await interaction.deferReply();
      await interaction.editReply('There it is.');
      await interaction.followUp({ content: 'And one thing more.', flags: MessageFlags.Ephemeral });
      return;
    default:
  }
}

function reviewsPage(page: number) {
  const button = (label: string, to: number, disabled: boolean) =>
    ({ type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: `page:${to}`, disabled }) as const;
  return {
    embeds: [
      {
        color: 0x5865f2,
        title: 'Reviews of Lantern Harbour',
        fields: [1, 2, 3].map((number) => ({
          name: '★★★★☆ old\\_salt',
          value: `Page ${page}, review ${number}: **calm**, clean and no drama.\n-# <t:1735689600:D>`,
        })),
        footer: { text: `3 of 12 · page ${page} of 4` },
        timestamp: new Date(1_735_689_600_000).toISOString(),
      },
    ],
    components: [row([button('Previous', page - 1, page === 1), button('Next', page + 1, page === 4)])],
  };
}

function row<Component>(components: Component[]) {
  return { type: ComponentType.ActionRow, components } as const;
}
