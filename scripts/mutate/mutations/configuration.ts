import type { Mutation } from '../mutation.ts';

/** Settings, rotation, encryption and sign-in with Discord. */
export const configurationMutations: readonly Mutation[] = [
  {
    file: 'packages/platform/src/duration-text.ts',
    find: 'return duration > 0 && duration <= maxMs;',
    replace: 'return duration >= 0 && duration <= maxMs;',
    breaks: 'a duration of 0 is rejected',
  },
  {
    file: 'config/settings.ts',
    find: 'schema: decimal.pipe(z.number().positive().max(8_760)),',
    replace: 'schema: decimal.pipe(z.number().max(8_760)),',
    breaks: 'a cooldown of 0 hours is rejected',
  },
  {
    file: 'config/settings.ts',
    find: 'schema.safeParse(isFreeText ? text : unwrap(text))',
    replace: 'schema.safeParse(text)',
    breaks: 'quotation marks and blanks around a value are not part of it',
  },
  {
    file: 'config/environment.ts',
    find: 'const isShown = !setting.secret && text.length <= maxShownLength;',
    replace: 'const isShown = text.length <= maxShownLength;',
    breaks: 'an invalid secret is not printed',
  },
  {
    file: 'config/load.ts',
    find: 'secrets: [...new Set([...active.secrets, ...next.secrets])],',
    replace: 'secrets: next.secrets,',
    breaks: 'secrets that were rotated away are still redacted in logs',
  },
  {
    file: 'config/load.ts',
    find: 'return { ...listing, voteSecrets, premiumSecrets, voteAuthorization, lookupKey, ',
    replace: 'return { ...listing, voteSecrets, voteAuthorization, lookupKey, ',
    breaks: 'a reload replaces the secrets of premium as well',
  },
  {
    file: 'packages/platform/src/secret-files.ts',
    find: 'const otherUsers = { read: 0o004, write: 0o002 };',
    replace: 'const otherUsers = { read: 0o004, write: 0o020 };',
    breaks: 'a secret file that every user can write is rejected',
  },
  {
    file: 'src/features/shop/file-codes.ts',
    find: 'if (!isRepeat) positions.set(code, position);',
    replace: '',
    breaks: 'a code that is listed twice is reported, because it would be sold twice',
  },
  {
    file: 'config/warnings.ts',
    find: 'const maxTypos = 2;',
    replace: 'const maxTypos = 0;',
    breaks: 'a misspelled setting gets a warning',
  },
  {
    file: 'packages/platform/src/encryption/sealed-text.ts',
    find: 'return Buffer.from(JSON.stringify([version, keyId, ...context]));',
    replace: 'return Buffer.from(JSON.stringify([version, keyId]));',
    breaks: 'an encrypted value that was copied into another row cannot be read',
  },
  {
    file: 'packages/platform/src/encryption/encryption.ts',
    find: 'const fromEnvironment = [newKey, key].filter((each) => each !== null);',
    replace: 'const fromEnvironment = [key, newKey].filter((each) => each !== null);',
    breaks: 'new secrets are encrypted with NEW_SETTINGS_KEY while it is set',
  },
  {
    file: 'packages/platform/src/encryption/key-file.ts',
    find: "openSync(path, 'wx', privateMode);",
    replace: "openSync(path, 'wx', 0o644);",
    breaks: 'only the owner can read the key file',
  },
  {
    file: 'packages/platform/src/discord-oauth/authorization-attempts.ts',
    find: "return equalSecrets(state, stateOf(id)) ? { verifier: verifierOf(id), data: data.join('~') } : null;",
    replace: "return state.length === stateOf(id).length ? { verifier: verifierOf(id), data: data.join('~') } : null;",
    breaks: 'the state of an OAuth callback must belong to the cookie of the browser',
  },
  {
    file: 'packages/platform/src/discord-oauth/oauth-client.ts',
    find: '        code_verifier: verifier,\n',
    replace: '',
    breaks: 'the exchange of a code proves with PKCE who started it',
  },
  {
    file: 'packages/platform/src/discord-oauth/oauth-client.ts',
    find: "if (!scope.split(' ').every((each) => granted.includes(each)))",
    replace: "if (!scope.split(' ').some((each) => granted.includes(each)))",
    breaks: 'a sign-in without all requested scopes is rejected',
  },
  {
    file: 'packages/platform/src/discord-oauth/oauth-client.ts',
    find: "if (error === 'invalid_client') return new OAuthError('rejected', `${message} invalid client secret`);",
    replace: '',
    breaks: 'a wrong client secret does not unlink members',
  },
  {
    file: 'packages/platform/src/web/client-limit.ts',
    find: 'return rejected.msBeforeNext;',
    replace: 'return null;',
    breaks: 'an address that opens the page of linked roles too often gets 429',
  },
  {
    file: 'src/features/linked-roles/member-tokens.ts',
    find: "if (leased === null) return 'busy';",
    replace: 'if (leased === null) return { token: open(member).accessToken };',
    breaks: 'one process at a time refreshes the tokens of a member',
  },
  {
    file: 'src/features/linked-roles/member-tokens.ts',
    find: 'expiresAt - expiryMarginMs > clock.now()',
    replace: 'expiresAt + expiryMarginMs > clock.now()',
    breaks: 'a token is refreshed a minute before it expires',
  },
  {
    file: 'packages/listing-service/src/connect/endpoints.ts',
    find: '!equalSecrets(challenge, asked.code_challenge)',
    replace: 'false',
    breaks: 'a code that connects a bot is only for the bot that has asked',
  },
  {
    file: 'packages/listing-service/src/connect/consent-routes.ts',
    find: 'if (asked.member === visitor.userId) return asked;',
    replace: 'return asked;',
    breaks: 'nobody approves what another member has asked for',
  },
  {
    file: 'src/features/settings/connect.ts',
    find: 'equalSecrets(state, attempt.state)',
    replace: 'true',
    breaks: 'a browser does not finish what another one has begun',
  },
];
