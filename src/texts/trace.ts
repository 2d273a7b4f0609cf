import { type Markup, markup } from './markup.ts';

export const trace = {
  description: 'Show what happened to the last votes and purchases of a member.',
  userOption: 'The member.',
  title: markup`Trace`,
  of: (user: Markup) => markup`The last deliveries of ${user}, with each step. Times are yours.`,
  nothing: (user: Markup) =>
    markup`Nothing has arrived for ${user}: no vote, no purchase, and no test. If the listing service shows a vote, check its webhook settings; ${user} can use /claim.`,
  delivery: (id: Markup) => markup`Delivery ${id}`,
  entries: markup`Other credits`,
  roles: markup`Roles`,
  untilTime: (time: Markup) => markup` until ${time}`,
  roleStates: {
    applied: markup`the member has it`,
    pending: markup`being changed in Discord`,
    parked: markup`could not be changed in Discord`,
  },
};
