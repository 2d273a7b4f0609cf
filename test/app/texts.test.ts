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

const textsAbout = (things: string, page: string) => ({
  'announcement.titles.vote': `${things}!`,
  'credits.title': `Your ${things.toLowerCase()}`,
  'credits.description': `Count your ${things.toLowerCase()}.`,
  'credits.menu': things,
  'console.signIn': page,
});

it('two apps in one program each speak their own texts', async () => {
  const coins = await appWith({ en: textsAbout('Coins', 'Open the vault') });
  const points = await appWith({
    en: textsAbout('Points', 'Open the book'),
    de: { 'credits.title': 'Deine Punkte' },
  });
  for (const [app, things, german] of [
    [coins, 'Coins', 'Credits'],
    [points, 'Points', 'Deine Punkte'],
  ] as const) {
    const own = textsAbout(things, '');
    expect(await app.said()).toEqual({
      ...{ announced: own['announcement.titles.vote'], reply: own['credits.title'], german },
      ...{ described: own['credits.description'], menu: true, page: true },
    });
  }
});
