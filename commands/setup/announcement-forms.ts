import { selectedValues, textField } from '../../src/discord/commands/input.ts';
import { textOf } from '../../src/platform/json.ts';
import { announcementModes } from '../../src/texts/announcement-settings.ts';
import { locales } from '../../src/texts/locale.ts';
import { languageName } from './describe-value.ts';
import { type Form, numberField, optionalText, radios, selectedId, shortText, toChoices } from './form.ts';

const switches = ['voteButton', 'reviews', 'milestones', 'premium', 'party'] as const;
const languages = ['en', ...locales.filter((locale) => !locale.startsWith('en-'))];

export const style: Form = {
  section: 'announcements',
  title: ({ setup }) => setup.forms.style,
  fields({ texts: { setup }, value }) {
    const { fields, choices, hints } = setup;
    const modes = announcementModes.map((mode) => [mode, choices[mode]] as const);
    const isOn = (name: (typeof switches)[number]) => value(`announcements.${name}`) === true;
    const lost = value('announcements.lostStreaks');
    return [
      radios('mode', fields.mode, modes, value('announcements.mode')),
      shortText('every', fields.every, value('announcements.every'), { description: hints.every }),
      shortText('colour', fields.colour, value('announcements.colour'), { description: hints.colour }),
      {
        ...{ kind: 'checkboxes', name: 'switches', label: fields.switches, required: false },
        choices: toChoices(
          switches.map((name) => [name, choices[name]]),
          switches.filter(isOn),
        ),
      },
      shortText('lostStreaks', fields.lostStreaks, lost === true ? 3 : lost, { description: hints.off }),
    ];
  },
  read(input) {
    const checked = selectedValues(input, 'switches');
    return {
      'announcements.mode': input.fields['mode'],
      'announcements.every': optionalText(input, 'every'),
      'announcements.colour': optionalText(input, 'colour') ?? null,
      ...Object.fromEntries(switches.map((name) => [`announcements.${name}`, checked.includes(name)])),
      'announcements.lostStreaks': numberField(input, 'lostStreaks') ?? false,
    };
  },
};

export const text: Form = {
  section: 'announcements',
  title: ({ setup }) => setup.forms.text,
  fields({ texts: { setup, locale }, value }) {
    const { fields, hints } = setup;
    const language = value('announcements.language');
    const choices = languages.map((code) => [code, languageName(locale, code)] as const);
    return [
      shortText('title', fields.title, value('announcements.title'), { description: hints.title, maxLength: 256 }),
      {
        ...{ kind: 'text', name: 'text', label: fields.text, description: hints.text, required: false },
        ...{ multiline: true, value: textOf(value('announcements.text')), maxLength: 3_000 },
      },
      shortText('thumbnail', fields.thumbnail, value('announcements.thumbnail'), { maxLength: 512 }),
      {
        ...{ kind: 'choices', name: 'language', label: fields.language, description: hints.language, required: false },
        choices: toChoices(choices, [language]),
      },
    ];
  },
  read: (input) => ({
    'announcements.title': optionalText(input, 'title') ?? null,
    'announcements.text': textField(input, 'text') || null,
    'announcements.thumbnail': optionalText(input, 'thumbnail') ?? null,
    'announcements.language': selectedId(input, 'language'),
  }),
};
