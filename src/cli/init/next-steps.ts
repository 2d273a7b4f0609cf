import type { Environment } from '../../../config/environment.ts';
import type { SettingName } from '../../../config/settings.ts';
import { defaultOf } from './questions.ts';

/**
 * What to do after the settings are written.
 * @param script the script of package.json that npm runs; undefined if the program was started without npm
 */
export function nextSteps(values: Environment, generated: ReadonlySet<SettingName>, script?: string): string[] {
  const { PUBLIC_URL: publicUrl, PORT: port = defaultOf('PORT'), VOTE_WEBHOOK_SECRET: secret } = values;
  const address = (publicUrl || `https://your.domain`).replace(/(?<!\/)\/+$/, '');
  const local = `http://127.0.0.1:${port}`;
  const program = script === 'tallyhook' ? 'npm run tallyhook --' : 'tallyhook';
  const steps = [
    `${program} doctor     checks the whole installation`,
    `${program} start      receives votes and runs the bot`,
  ];
  return [
    '',
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    `  3. At the service, set the webhook URL to ${address}/webhooks`,
    ...(publicUrl ? [] : [`     (your.domain has to lead to ${local}, through a reverse proxy or a tunnel)`]),
    ...(generated.has('VOTE_WEBHOOK_SECRET') && secret ? [`     and the secret for votes to ${secret}`] : []),
  ];
}
