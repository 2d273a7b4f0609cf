import { type Form, numberField, optionalSelect, selectedId, shortText } from './form.ts';

export const channels: Form = {
  section: 'channels',
  title: ({ setup }) => setup.forms.channels,
  fields: ({ texts: { setup }, value }) => [
    optionalSelect('channels', 'announceChannel', setup.fields.announceChannel, value('announceChannelId')),
    optionalSelect(
      'channels',
      'premiumChannel',
      setup.fields.premiumChannel,
      value('premiumChannelId'),
      setup.hints.premiumChannel,
    ),
    optionalSelect(
      'channels',
      'ownerChannel',
      setup.fields.ownerChannel,
      value('ownerChannelId'),
      setup.hints.ownerChannel,
    ),
  ],
  read: (input) => ({
    announceChannelId: selectedId(input, 'announceChannel'),
    premiumChannelId: selectedId(input, 'premiumChannel'),
    ownerChannelId: selectedId(input, 'ownerChannel'),
  }),
};

export const reminders: Form = {
  section: 'reminders',
  title: ({ setup }) => setup.forms.reminders,
  fields: ({ texts: { setup }, value }) => [shortText('cooldown', setup.fields.cooldown, value('cooldownHours'))],
  read: (input) => ({ cooldownHours: numberField(input, 'cooldown') }),
};
