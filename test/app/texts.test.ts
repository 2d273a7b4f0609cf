import { expect, it } from 'vitest';
import type { TextOverrides } from '../../src/texts/texts.ts';
import { localDiscord } from '../support/local-discord.ts';
import { createSender } from '../support/sender.ts';
import { settings } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';

/** An app on a Discord of its own, and what is read there and in its console. */
async function appWith(texts: TextOverrides) {
  const discord = await localDiscord({ rateLimits: false });
  const { url, lines } = await startApp(settings(discord), { texts });
  const isRegistered = () => lines.some((line) => line.includes('slash commands registered'));
  await expect.poll(isRegistered, { timeout: 10_000 }).toBe(true);
  await expect.poll(() => discord.connected, { timeout: 10_000 }).toBe(true);
  const [member] = discord.members;
  const userId = member?.id ?? '';
  return {
    /** In an announcement, a reply, the list of commands and the menu of a member, and on a page. */
    async said() {
      const vote = { event: 'server_vote', userId, serverId: discord.guildId, timestamp: new Date() };
      await createSender(1).send(url ?? '', { family: 'vote', body: JSON.stringify(vote) });
      const announced = () => discord.messages(discord.channels.announcements).map(({ embeds }) => embeds[0]?.title);
      await expect.poll(announced, { timeout: 10_000 }).toHaveLength(1);
      const use = { name: 'credits', userId, channelId: discord.channels.general };
      const { embeds } = await discord.runCommand(use).settled;
      const german = await discord.runCommand({ ...use, locale: 'de' }).settled;
      const commands = discord.commands();
      const page = await fetch(`${url}/owner/`, { redirect: 'manual' });
      const signIn = await fetch(new URL(page.headers.get('location') ?? './sign-in', `${url}/owner/`));
      return {
        announced: announced()[0],
        reply: embeds[0]?.title,
        german: german.embeds[0]?.title,
        described: commands.find(({ name }) => name === 'credits')?.description,
        menu: commands.some(({ name }) => name === texts.en?.['credits.menu']),
        page: (await signIn.text()).includes(texts.en?.['console.signIn'] ?? '?'),
      };
    },
  };
}

it('two apps in one program each speak their own texts', async () => {
  const coins = await appWith({
    en: {
      'announcement.titles.vote': 'Coins!',
      'credits.title': 'Your coins',
      'credits.description': 'Count your coins.',
      'credits.menu': 'Coins',
      'console.signIn': 'Open the vault',
    },
  });
  const points = await appWith({
    en: {
      'announcement.titles.vote': 'Points!',
      'credits.title': 'Your points',
      'credits.description': 'Count your points.',
      'credits.menu': 'Points',
      'console.signIn': 'Open the book',
    },
    de: { 'credits.title': 'Deine Punkte' },
  });
  expect(await coins.said()).toEqual({
    announced: 'Coins!',
    reply: 'Your coins',
    german: 'Credits',
    described: 'Count your coins.',
    menu: true,
    page: true,
  });
  expect(await points.said()).toEqual({
    announced: 'Points!',
    reply: 'Your points',
    german: 'Deine Punkte',
    described: 'Count your points.',
    menu: true,
    page: true,
  });
});
