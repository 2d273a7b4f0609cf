import { setting, showChannel } from '../../core/settings/setting-spec.ts';
import { channelId } from '../../core/settings/value-schemas.ts';
import { reminderChannel } from './rules.ts';

export const reminderChannelId = setting({
  path: 'reminderChannelId',
  description:
    'Channel in which members are mentioned who want reminders and accept no direct messages, if they choose it in `/remind`. Listings of one guild share it.',
  schema: channelId,
  isShared: true,
  canBeOff: true,
  rules: (id) => reminderChannel.as(id ?? null),
  inFile: ({ rewards }) => reminderChannel.in(rewards),
  isChannel: true,
  show: showChannel,
  fields: [{ name: 'reminderChannel', kind: 'channels', hint: 'reminderChannel' }],
});
