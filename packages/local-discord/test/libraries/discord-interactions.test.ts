import { serve } from '@tallyhook/platform/testing/serve';
import type { APIChatInputApplicationCommandInteraction, APIInteraction } from 'discord-api-types/v10';
import { InteractionType, InteractionResponseType as Response, verifyKeyMiddleware } from 'discord-interactions';
import express from 'express';
import type { LocalDiscord } from '../../src/local-discord.ts';
import { payloads, playScenario, texts } from './scenario.ts';

playScenario('discord-interactions', async (discord) => {
  const app = express();
  app.post('/interactions', verifyKeyMiddleware(discord.publicKey), async ({ body: interaction }, response) => {
    response.send(answer(interaction));
    if (isButton(interaction, 'file')) await sendFile(discord, interaction.token);
  });
  const endpoint = await serve(app);
  const { applicationId, guildId } = discord;
  await request(discord, 'POST', `/applications/${applicationId}/guilds/${guildId}/commands`, payloads.command);
  await request(discord, 'PATCH', '/applications/@me', { interactions_endpoint_url: `${endpoint}/interactions` });
  return undefined;
});

/** As in Discord's example app: the library has no REST client. */
async function request({ apiUrl, token }: LocalDiscord, method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bot ${token}`, 'content-type': 'application/json; charset=UTF-8' };
  const { ok, status } = await fetch(`${apiUrl}/v10${path}`, { method, headers, body: JSON.stringify(body) });
  if (!ok) throw new Error(`${method} ${path}: ${status}`);
}

function answer(interaction: APIInteraction): object {
  switch (Number(interaction.type)) {
    case InteractionType.APPLICATION_COMMAND: {
      const [option] = (interaction as APIChatInputApplicationCommandInteraction).data.options ?? [];
      const who = option !== undefined && 'value' in option ? String(option.value) : '';
      return { type: Response.CHANNEL_MESSAGE_WITH_SOURCE, data: payloads.greeting(who) };
    }
    case InteractionType.MESSAGE_COMPONENT:
      if (isButton(interaction, 'edit')) return { type: Response.UPDATE_MESSAGE, data: { content: texts.edited } };
      if (isButton(interaction, 'form')) return { type: Response.MODAL, data: payloads.modal };
      return { type: Response.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE };
    case InteractionType.MODAL_SUBMIT:
      return { type: Response.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: readModal(interaction) } };
    default:
      return {};
  }
}

function isButton(interaction: APIInteraction, id: string): boolean {
  return interaction.type === 3 && interaction.data.custom_id === id;
}

function readModal(interaction: APIInteraction): string {
  const [row] = interaction.type === 5 ? interaction.data.components : [];
  const [field] = row?.type === 1 ? row.components : [];
  const words = field !== undefined && 'value' in field ? field.value : '';
  return texts.thanks(interaction.member?.user.username ?? '', words);
}

async function sendFile({ apiUrl, applicationId }: LocalDiscord, interactionToken: string): Promise<void> {
  const { name, content } = texts.file;
  const body = new FormData();
  body.set('payload_json', JSON.stringify({ attachments: [{ id: 0, filename: name }] }));
  body.set('files[0]', new Blob([content], { type: 'text/plain' }), name);
  await fetch(`${apiUrl}/v10/webhooks/${applicationId}/${interactionToken}/messages/@original`, {
    method: 'PATCH',
    body,
  });
}
