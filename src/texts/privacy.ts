import { markup } from './markup.ts';

export const privacy = {
  description: 'Export what is stored about you, or have it forgotten.',
  actionOption: 'What to do.',
  actions: { export: 'export: get everything as a file', forget: 'forget: delete what identifies you' },
  titleExport: markup`Your data`,
  nothing: markup`Nothing is stored about you.`,
  exported: markup`The file has everything that is stored about you: your account with its entries, the deliveries of the listing service with their contents, and what was sent because of them.`,
  fileDescription: 'Everything that is stored about you, as JSON.',
  titleConfirm: markup`Forget you?`,
  confirm: markup`Your credits, streak and roles are lost, your reminders are cancelled, and the contents of your deliveries are deleted. This cannot be undone.\n\nWhat remains is not linked to you: amounts and times under a random name, and digests that keep a repeated vote from being paid twice. Messages in Discord, backups and logs are not changed. Your next vote starts a new account.`,
  confirmButton: 'Confirm',
  cancelButton: 'Cancel',
  titleForgotten: markup`Forgotten`,
  forgotten: markup`What was stored about you can no longer be linked to you. Roles that you received for votes or purchases are being removed.`,
  titleCancelled: markup`Cancelled`,
  cancelled: markup`Nothing was changed.`,
};
