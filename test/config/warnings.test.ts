import { describe, expect, it } from 'vitest';
import { unknownVariables } from '../../config/warnings.ts';

const suggestions = (environment: Record<string, string>) =>
  unknownVariables(environment).map(({ setting, hint }) => `${setting}: ${hint}`);

describe('a variable that looks like a setting, but is not', () => {
  it.each([
    ['VOTE_WEBHOOK_SECERT', 'VOTE_WEBHOOK_SECRET'],
    ['VOTE_WEBHOOK_SECRETS', 'VOTE_WEBHOOK_SECRET'],
    ['DISCORD_TOKEN_FIL', 'DISCORD_TOKEN_FILE'],
    ['LOOKUP_SERVERKEY', 'LOOKUP_SERVER_KEY'],
    ['ANOUNCE_CHANNEL_ID', 'ANNOUNCE_CHANNEL_ID'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
  ])('is reported with a suggestion: %s', (name, suggestion) => {
    expect(suggestions({ [name]: 'x' })).toEqual([`${name}: Did you mean ${suggestion}?`]);
  });

  it('is reported without a suggestion if no setting is similar and its name begins with ours', () => {
    expect(suggestions({ TALLYHOOK_PERMISSIONS: '1' })).toEqual([expect.stringContaining('tallyhook config')]);
  });

  it('is reported without its value, which may be a secret', () => {
    expect(JSON.stringify(unknownVariables({ VOTE_WEBHOOK_SECERT: 'hush' }))).not.toContain('hush');
  });
});

describe('a variable of another program', () => {
  it.each([
    ...['PATH', 'HOSTNAME', 'POST', 'PORTS', 'DATABASE_NAME', 'CACHE_DIR', 'LOG_DIR', 'npm_config_cache'],
    ...['VOTE_LOG', 'VOTE_SECRET', 'DISCORD_PERMISSIONS', 'DISCORD_CLIENT_ID', 'LOOKUP_KEY', 'OWNER_NAME'],
  ])('is not reported: %s', (name) => expect(unknownVariables({ [name]: 'x' })).toEqual([]));

  it('is not reported if the similar setting is set', () => {
    expect(unknownVariables({ DATABASE_URI: 'x', DATABASE_URL: 'sqlite:x' })).toEqual([]);
  });

  it('is not reported if Kubernetes set it for a service named tallyhook, or if it is empty', () => {
    const kubernetesVariables = ['TALLYHOOK_SERVICE_HOST', 'TALLYHOOK_PORT', 'TALLYHOOK_PORT_3000_TCP_ADDR'];
    expect(unknownVariables(Object.fromEntries(kubernetesVariables.map((name) => [name, 'x'])))).toEqual([]);
    expect(unknownVariables({ VOTE_WEBHOOK_SECERT: '' })).toEqual([]);
  });
});
