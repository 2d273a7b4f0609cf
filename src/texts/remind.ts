import { bold, type Markup, markup, subtext } from './markup.ts';

/** The texts of `/remind` and its buttons, in English. `name` is that of a listing. */
export const remind = {
  description: 'Get a direct message when you can vote again.',
  stateOption: 'Switch your reminders on or off.',
  states: { on: 'on', off: 'off' },
  button: 'Remind me',
  snoozeButtons: { 1: '1 h', 6: '6 h' },
  stopButton: 'Stop',
  titleOn: markup`Reminders are on`,
  titleOff: markup`Reminders are off`,
  titleSnoozed: markup`Reminder postponed`,
  titleVoted: markup`You have already voted`,
  now: (name: Markup) => markup`You can vote for ${bold(name)} now.`,
  next: (name: Markup, time: Markup) => markup`Your next reminder for ${bold(name)} comes ${time}.`,
  afterVotes: subtext(markup`After each vote, a direct message tells you when you can vote again.`),
  off: (command: Markup) => markup`You get no more reminders. ${command} switches them on again.`,
  /** Why the bot has switched them off. */
  stopped: {
    direct_messages_closed: (command: Markup) =>
      markup`Discord does not let the bot send you direct messages, so your reminders were switched off. Allow direct messages from members of this server, then switch them on again with ${command}.`,
  },
};
