import { escapeName, type Markup, subtext } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { Modal, Panel } from '../../src/discord/commands/reply.ts';
import type { Picture, ProfileChanges, ProfileProblem } from '../../src/discord/guild-profile.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { fileField, textInput } from './form.ts';
import { escapedName, modal, panel, type SetupView } from './view.ts';

/** Discord: "Modify Current Member" (characters). */
const maxNickLength = 32;
const pictures = ['keep', 'icon', 'upload', 'own'] as const;

/** How the bot looks in this server: its messages have the name and the picture of the community. */
export function renderProfile(view: SetupView): Panel {
  const { text } = view;
  return panel(
    'plain',
    escapedName(text('setup.buttons.profile')),
    [text('setup.profile.intro'), subtext(text('setup.profile.hint'))],
    [view.button('edit', 'profile-form', {}, 'primary'), view.overviewButton],
  );
}

export async function profileForm({ text, texts, services, guildId }: SetupView): Promise<Modal> {
  const nick = (await services.profiles.find(guildId))?.nick ?? '';
  const choices = pictures.map((value) => ({
    value,
    label: text(`setup.profile.pictures.${value}`),
    selected: value === 'keep',
  }));
  return modal(text('setup.buttons.profile'), 'profile-saved', [
    textInput(texts, 'nick', { hint: 'nick', required: false, maxLength: maxNickLength, value: nick }),
    { kind: 'radios', name: 'picture', label: text('setup.fields.picture'), choices },
    fileField('pictureFile', texts, 'picture'),
    fileField('bannerFile', texts, 'picture'),
  ]);
}

/** Changes the profile in Discord. What the form leaves out stays as it is. */
export async function saveProfile(view: SetupView): Promise<Panel> {
  const { text, texts, services, guildId } = view;
  const changes = await changesOf(view);
  if (changes === null) return problemPanel(view, text('setup.profile.noPicture'));
  const problem = Object.keys(changes).length === 0 ? null : await services.profiles.change(guildId, changes);
  if (problem !== null) return problemPanel(view, explain(problem, texts));
  return panel(
    'good',
    text('setup.saved.title'),
    [text('setup.profile.saved')],
    [view.button('profile', 'profile'), view.overviewButton],
  );
}

/** Null if a picture is missing, or cannot be used. */
async function changesOf(view: SetupView): Promise<ProfileChanges | null> {
  const { input, services, guildId } = view;
  const nick = plainName(textField(input, 'nick'), maxNickLength) || null;
  const before = await services.profiles.find(guildId);
  // Without an answer in time, an empty field may be the name that there is.
  const isChanged = before === null ? nick !== null : nick !== before.nick;
  const name = isChanged ? { nick } : {};
  const choice = pictures.find((each) => each === textField(input, 'picture')) ?? 'keep';
  const banner = await uploadOf(view, 'bannerFile');
  if (banner === null) return null;
  const withBanner = banner === undefined ? {} : { banner };
  switch (choice) {
    case 'keep':
      return { ...name, ...withBanner };
    case 'own':
      return { ...name, avatar: null, banner: null, ...withBanner };
    case 'icon':
    case 'upload': {
      const avatar = choice === 'icon' ? await services.profiles.iconOf(guildId) : await uploadOf(view, 'pictureFile');
      return avatar ? { ...name, ...withBanner, avatar } : null;
    }
  }
}

/** Undefined without a file, null for one that is no picture. */
async function uploadOf({ input, services }: SetupView, field: string): Promise<Picture | null | undefined> {
  const [id] = selectedValues(input, field);
  const file = id === undefined ? undefined : input.resolved.files?.[id];
  return file === undefined ? undefined : services.profiles.readPicture(file);
}

function explain(problem: ProfileProblem, { text }: Texts): Markup {
  switch (problem.problem) {
    case 'no_permission':
      return text('setup.profile.noPermission');
    case 'rejected':
      return text('setup.profile.rejected', { reason: escapeName(problem.reason, 200) });
    case 'unavailable':
      return text('setup.profile.unavailable');
  }
}

function problemPanel(view: SetupView, problem: Markup): Panel {
  return panel(
    'bad',
    view.text('setup.problems.title'),
    [problem],
    [view.button('editAgain', 'profile-form', {}, 'primary'), view.overviewButton],
  );
}
