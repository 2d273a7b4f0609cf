import type { Environment } from '../../../config/environment.ts';
import type { SettingName } from '../../../config/settings.ts';
import { defaultOf } from './questions.ts';

/** How to make an address public: a page of the documents, which the package does not contain. */
export const hostingPage = 'https://github.com/tallyhook/tallyhook/blob/main/docs/hosting/README.md';

/**
 * What to do after the settings are written.
 * @param script the script of package.json that npm runs, or `npx`; undefined if the program was started without npm
 */
export function nextSteps(values: Environment, generated: ReadonlySet<SettingName>, script?: string): string[] {
  const { PUBLIC_URL: publicUrl, PORT: port = defaultOf('PORT'), VOTE_WEBHOOK_SECRET: secret } = values;
  const address = (publicUrl || `https://your.domain`).replace(/(?<!\/)\/+$/, '');
  const program = script === 'tallyhook' ? 'npm run tallyhook' : script === 'npx' ? 'npx tallyhook' : 'tallyhook';
  const isLinkedInDiscord = !secret && !values['VOTE_WEBHOOK_SECRET_FILE'] && !values['TALLYHOOK_CONFIG'];
  return [
    '',
    'Next:',
    `  1. ${program} doctor     checks the whole installation`,
    `  2. ${program} start      receives votes and runs the bot`,
    ...(isLinkedInDiscord
      ? ['  3. Use /setup in your Discord server: it links the listing, and shows the webhook addresses and secrets']
      : [`  3. At the service, set the webhook URL to ${address}/webhooks`]),
    ...(publicUrl
      ? []
      : [
          `     (a public address has to lead to http://127.0.0.1:${port}: ${hostingPage};`,
          isLinkedInDiscord
            ? '     set PUBLIC_URL to it, so that /setup shows whole addresses)'
            : '     it replaces your.domain)',
        ]),
    ...(generated.has('VOTE_WEBHOOK_SECRET') && secret ? [`     and the secret for votes to ${secret}`] : []),
    ...(generated.has('SETTINGS_KEY')
      ? ['', 'SETTINGS_KEY encrypts what /setup stores: keep a copy, and use the same one in every process.']
      : []),
  ];
}
