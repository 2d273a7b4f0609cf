import { once } from 'node:events';
import { controlsOf } from '../../src/sandbox/discord/normalized-components.ts';
import type { Shown, Stage } from './stage.ts';
import type { AnswerState, Scene } from './state.ts';

const state = (name: string, title: string, show: AnswerState['show']): AnswerState => ({ name, title, show });
const subjects = ['listing', 'channels', 'rewards', 'roles', 'reminders', 'shop', 'announcements'] as const;

/** Opens the form of a component, and submits it. */
async function submit(
  { sandbox, id }: Stage,
  shown: Shown,
  part: string,
  values: Readonly<Record<string, string | readonly string[]>>,
): Promise<Shown> {
  const { discord } = sandbox;
  const userId = id(shown.viewer);
  const control = controlsOf(shown.message.components).find(({ custom_id }) => custom_id?.includes(part));
  const opened = discord.clickButton(shown.message.id, control?.custom_id ?? '', userId);
  await opened.response;
  return { ...shown, message: await discord.submitModal({ interactionId: opened.id, userId, values }).settled };
}

async function linkListing(stage: Stage): Promise<Shown> {
  const { service, discord } = stage.sandbox;
  const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
  const lookupKey = await service.issueKey(server?.id ?? '', 'For the bot');
  const form = { kind: 'server', targetId: discord.guildId, lookupKey };
  return submit(stage, await stage.run('setup'), 'setup/link', form);
}

async function section(stage: Stage, name: (typeof subjects)[number]): Promise<Shown> {
  return stage.press(await stage.run('setup'), 'setup/section', `s=${name}`);
}

const credits = { vote: '25', premium: '100', whenDenied: '0', allListings: '' };
let waiting: Shown | undefined;

/** The first use, from the invitation on, and then each subject. */
export const setupScene: Scene = {
  title: '/setup',
  options: { linked: false },
  states: [
    state('setup-welcome', '/setup: the first use', (stage) => stage.run('setup')),
    state('setup-key-refused', '/setup: an API key that the service does not accept', async (stage) =>
      submit(stage, await stage.run('setup'), 'setup/link', { kind: 'server', targetId: '', lookupKey: 'dh_server_0' }),
    ),
    state('setup-waiting', '/setup: waiting for the test', async (stage) => {
      waiting = await linkListing(stage);
      return waiting;
    }),
    state('setup-arrived', '/setup: the test has arrived', async (stage) => {
      const { service, discord } = stage.sandbox;
      const shown = waiting ?? (await linkListing(stage));
      const text = JSON.stringify(shown.message.components);
      const [voteUrl = '', voteSecret = ''] = [...text.matchAll(/```\\n(.+?)\\n```/g)].map(([, code = '']) => code);
      const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
      await service.setWebhook(server?.id ?? '', { voteUrl, voteSecret });
      await service.testWebhook(server?.id ?? '', 'vote');
      const find = () =>
        discord.messages(shown.message.channel_id, null).find(({ id, edited_timestamp: edited, components }) => {
          return id === shown.message.id && edited !== null && JSON.stringify(components).includes('setup/channel');
        });
      while (find() === undefined) await once(discord.events, 'change');
      return { ...shown, message: find() ?? shown.message };
    }),
    state('setup-overview', '/setup', (stage) => stage.run('setup')),
    ...subjects.map((name) => state(`setup-${name}`, `/setup: ${name}`, (stage) => section(stage, name))),
    state('setup-saved', '/setup: saved, with Undo', async (stage) =>
      submit(stage, await section(stage, 'rewards'), 'f=credits', credits),
    ),
    state('setup-invalid', '/setup: a value that is not valid', async (stage) =>
      submit(stage, await section(stage, 'rewards'), 'f=credits', { ...credits, vote: 'many' }),
    ),
    state('setup-role-above', '/setup: a role above that of the bot', async (stage) =>
      submit(stage, await section(stage, 'roles'), 'f=roles', {
        ...{ voterRole: [stage.sandbox.discord.roles.moderator], voterRoleFor: '12h' },
        ...{ milestoneRoles: 'all', premiumRole: [] },
      }),
    ),
    state('setup-history', '/setup: the history', async (stage) =>
      stage.press(await stage.run('setup'), 'setup/history'),
    ),
    state('setup-unlink', '/setup: before a listing is unlinked', async (stage) =>
      stage.press(await section(stage, 'listing'), 'setup/unlink'),
    ),
  ],
};
