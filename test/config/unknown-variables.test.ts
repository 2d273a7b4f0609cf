import { describe, expect, it } from 'vitest';
import { unknownVariables } from '../../config/unknown-variables.ts';

const suggestions = (environment: Record<string, string>) =>
  unknownVariables(environment).map(({ setting, hint: cure }) => `${setting}: ${cure}`);

describe('a variable that looks like a setting and is none', () => {
  it.each([
    ['VOTE_WEBHOOK_SECERT', 'VOTE_WEBHOOK_SECRET'],
    ['VOTE_WEBHOOK_SECRETS', 'VOTE_WEBHOOK_SECRET'],
    ['DISCORD_TOKEN_FIL', 'DISCORD_TOKEN_FILE'],
    ['LOOKUP_SERVERKEY', 'LOOKUP_SERVER_KEY'],
    ['ANOUNCE_CHANNEL_ID', 'ANNOUNCE_CHANNEL_ID'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
  ])('is reported with the one that is meant: %s', (written, meant) => {
    expect(suggestions({ [written]: 'x' })).toEqual([`${written}: Did you mean ${meant}?`]);
  });

  it('is reported without a suggestion where none is close', () => {
    expect(suggestions({ DISCORD_CLIENT_ID: '1' })).toEqual([expect.stringContaining('README.md')]);
  });

  it('never shows its value, which may be a secret', () => {
    expect(JSON.stringify(unknownVariables({ VOTE_WEBHOOK_SECERT: 'hush' }))).not.toContain('hush');
  });
});

describe('a variable that is not meant for tallyhook', () => {
  it.each(['PATH', 'HOSTNAME', 'POST', 'PORTS', 'DATABASE_NAME', 'CACHE_DIR', 'LOG_DIR', 'npm_config_cache'])(
    'is not reported: %s',
    (name) => expect(unknownVariables({ [name]: 'x' })).toEqual([]),
  );

  it('is not reported where the setting that it resembles is set', () => {
    expect(unknownVariables({ DATABASE_URI: 'x', DATABASE_URL: 'sqlite:x' })).toEqual([]);
  });

  it('is not reported where Kubernetes made it of the name of a service, or where it is empty', () => {
    const ofKubernetes = ['TALLYHOOK_SERVICE_HOST', 'TALLYHOOK_PORT', 'TALLYHOOK_PORT_3000_TCP_ADDR'];
    expect(unknownVariables(Object.fromEntries(ofKubernetes.map((name) => [name, 'x'])))).toEqual([]);
    expect(unknownVariables({ VOTE_WEBHOOK_SECERT: '' })).toEqual([]);
  });
});
