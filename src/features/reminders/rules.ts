import { addedValue } from '../../core/added-value.ts';

/** The channel in which members are reminded who accept no direct messages (Discord ID), null for none: of the rules. */
export const reminderChannel = addedValue<string | null>('reminderChannelId', null);
