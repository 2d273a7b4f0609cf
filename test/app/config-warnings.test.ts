import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { logConfigWarnings } from '../../src/app/config-warnings.ts';
import { createLog } from '../../src/platform/log.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

it.each([
  ['fifteen-letters', 1],
  ['sixteen-letters!', 0],
])('warns about an owner token that can be guessed: %s', (token, warnings) => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  logConfigWarnings(loadConfig({ ...settings(unreachableDiscord), OWNER_TOKEN: token }), log);
  const ownerTokenWarnings = lines.filter((line) => line.includes('OWNER_TOKEN'));
  expect(ownerTokenWarnings).toHaveLength(warnings);
  expect(ownerTokenWarnings.join()).not.toContain(token);
});
