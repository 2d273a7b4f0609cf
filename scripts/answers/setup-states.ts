import { once } from 'node:events';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import type { Shown, Stage } from './stage.ts';
import { type Scene, state } from './state.ts';

/** The sections, with words of each. */
const subjects = {
  listing: 'API key: stored',
  channels: 'Announcements: none',
  rewards: 'Per vote: 10 credits',
  roles: 'Not used: Role for voters',
  cooldown: 'Time between votes',
  shop: 'Nothing is sold yet',
  announcements: 'voted for Lantern Harbour',
} as const;

/** Uses a component: presses a button, or selects values. */
function use({ sandbox, id }: Stage, { message, viewer }: Shown, part: string, values?: readonly string[]) {
  const control = controlsOf(message.components).find(({ custom_id }) => custom_id?.includes(part));
  const used = { messageId: message.id, customId: control?.custom_id ?? '', userId: id(viewer) };
  const { discord } = sandbox;
  if (values !== undefined) return discord.select({ ...used, values });
  return discord.clickButton(used.messageId, used.customId, used.userId);
}

/** Opens the form of a component, and submits it. */
async function submit(
  stage: Stage,
  shown: Shown,
  part: string,
  values: Readonly<Record<string, string | readonly string[]>>,
): Promise<Shown> {
  const opened = use(stage, shown, part);
  await opened.response;
  const form = { interactionId: opened.id, userId: stage.id(shown.viewer), values };
  return { ...shown, message: await stage.sandbox.discord.submitModal(form).settled };
}

async function linkListing(stage: Stage): Promise<Shown> {
  const { service } = stage.sandbox;
  const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
  const lookupKey = await service.issueKey(server?.id ?? '', 'For the bot');
  return submit(stage, await stage.run('setup'), 'setup/link', { lookupKey });
}

async function section(stage: Stage, name: string): Promise<Shown> {
  return stage.press(await stage.run('setup'), 'setup/section', `s=${name}`);
}

const credits = { vote: '25', premium: '100', whenDenied: '0', allListings: '', firstVote: '' };
let waiting: Shown | undefined;

/** The first use, from the invitation on, and then each subject. */
export const setupScene: Scene = {
  title: '/setup',
  options: { linked: false },
  states: [
    state('setup-welcome', '/setup: the first use', 'By hand instead', (stage) => stage.run('setup')),
    state(
      'setup-key-refused',
      '/setup: an API key that the service does not accept',
      'does not accept this API key',
      async (stage) => submit(stage, await stage.run('setup'), 'setup/link', { lookupKey: 'dh_server_0' }),
    ),
    state('setup-waiting', '/setup: waiting for the test', 'Linked: Lantern Harbour', async (stage) => {
      waiting = await linkListing(stage);
      return waiting;
    }),
    state('setup-arrived', '/setup: the test has arrived', 'The test has arrived', async (stage) => {
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
    state('setup-overview', '/setup', 'Listing: Lantern Harbour (server)', (stage) => stage.run('setup')),
    ...Object.entries(subjects).map(([name, text]) =>
      state(`setup-${name}`, `/setup: ${name}`, text, (stage) => section(stage, name)),
    ),
    state(
      'vote-panel',
      'A vote panel, posted with /setup',
      'Vote for Lantern Harbour. Each vote earns 10',
      async (stage) => {
        const { discord } = stage.sandbox;
        const choice = await stage.press(await section(stage, 'channels'), 'setup/post-panel');
        const control = controlsOf(choice.message.components).find(({ custom_id }) =>
          custom_id?.includes('panel-channel'),
        );
        const used = {
          messageId: choice.message.id,
          customId: control?.custom_id ?? '',
          userId: stage.id(choice.viewer),
        };
        const post = () => discord.select({ ...used, values: [stage.channels.premium] }).settled;
        return { ...choice, message: await stage.newMessage(stage.channels.premium, post) };
      },
    ),
    state('setup-saved', '/setup: saved, with Undo', 'not set → 25 credits', async (stage) =>
      submit(stage, await section(stage, 'rewards'), 'f=credits', credits),
    ),
    state('setup-invalid', '/setup: a value that is not valid', 'Enter a whole number', async (stage) =>
      submit(stage, await section(stage, 'rewards'), 'f=credits', { ...credits, vote: 'many' }),
    ),
    state('setup-role-above', '/setup: a role above that of the bot', 'is above the role of the bot', async (stage) =>
      submit(stage, await section(stage, 'roles'), 'f=roles', {
        ...{ voterRole: [stage.sandbox.discord.roles.moderator], voterRoleFor: '12h' },
        ...{ milestoneRoles: 'all', premiumRole: [] },
      }),
    ),
    state('setup-history', '/setup: the history', 'Listing: not set → server', async (stage) =>
      stage.press(await stage.run('setup'), 'setup/history'),
    ),
    state('setup-unlink', '/setup: before a listing is unlinked', 'Unlink Lantern Harbour?', async (stage) =>
      stage.press(await section(stage, 'listing'), 'setup/unlink'),
    ),
    state('setup-ready', '/setup: ready', 'Buttons: Vote now', async (stage) => {
      const shown = await stage.press(await stage.run('setup'), 'setup/step-channel');
      const chosen = use(stage, shown, 'setup/channel', [stage.channels.announcements]);
      return stage.press({ ...shown, message: await chosen.settled }, 'setup/preset', 'p=simple');
    }),
    state('setup-site', '/setup: a bot on another site', 'Tick the event vote.create', async (stage) => {
      const shown = await stage.press(await stage.run('setup'), 'setup/add');
      return { ...shown, message: await use(stage, shown, 'k=bot', ['topgg']).settled };
    }),
  ],
};
