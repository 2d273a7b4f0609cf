import type { Mutation } from '../mutation.ts';

/** The local Discord and the page of the sandbox. */
export const sandboxMutations: readonly Mutation[] = [
  {
    file: 'packages/local-discord/src/messages.ts',
    find: "mention_everyone: parse.includes('everyone') && /@(everyone|here)/.test(content),",
    replace: 'mention_everyone: /@(everyone|here)/.test(content),',
    breaks: 'the local Discord mentions everyone only if that is allowed',
  },
  {
    file: 'packages/local-discord/src/permissions.ts',
    find: 'return (set & ~deny) | allow;',
    replace: 'return (set | allow) & ~deny;',
    breaks: 'permissions in the local Discord are computed like those of Discord',
  },
  {
    file: 'packages/local-discord/src/rate-limits.ts',
    find: 'return window.used > request.limit.count\n',
    replace: 'return window.used > Number.POSITIVE_INFINITY\n',
    breaks: 'the local Discord limits requests of a route',
  },
  {
    file: 'packages/local-discord/src/oauth.ts',
    find: "if (!isCurrent || !isForClient || !isVerified) throw new OAuth2Error(400, 'invalid_grant');",
    replace: "if (!isCurrent || !isForClient) throw new OAuth2Error(400, 'invalid_grant');",
    breaks: 'the local Discord checks PKCE',
  },
  {
    file: 'packages/local-discord/src/role-connections.ts',
    find: 'this.#state.clock.now() - value * day',
    replace: 'this.#state.clock.now() + value * day',
    breaks: 'linked roles by days in the local Discord are given like in Discord',
  },
  {
    file: 'packages/local-discord/src/page/page.ts',
    find: 'return isJson && request.headers.origin === `http://${host}`;',
    replace: 'return isJson;',
    breaks: 'another site cannot control the sandbox',
  },
  {
    file: 'packages/local-discord/src/web/browser/markdown.ts',
    find: 'https?:\\/\\/[^\\s<>()]+(?:',
    replace: '[a-z]+:\\/?\\/?[^\\s<>()]+(?:',
    breaks: 'a link of a message in the sandbox leads to the web only',
  },
  {
    file: 'packages/local-discord/src/web/browser/format-time.ts',
    find: 'if (days === 1) return yesterdayAt(',
    replace: 'if (days === 2) return yesterdayAt(',
    breaks: 'a message of yesterday says so',
  },
  {
    file: 'packages/local-discord/src/page/browser/page-clock.ts',
    find: '(monotonic() - reference.monotonic) * (reference.speed - 1)',
    replace: '(monotonic() - reference.monotonic) * reference.speed',
    breaks: 'the time of the sandbox page agrees with that of the sandbox',
  },
  {
    file: 'packages/platform/src/json-file.ts',
    find: 'const renamedTo = `${path}.damaged`;\n    renameSync(path, renamedTo);',
    replace: 'const renamedTo = `${path}.damaged`;',
    breaks: 'a damaged file of the sandbox is kept',
  },
  {
    file: 'src/sandbox/relay.ts',
    find: 'if (down) resetConnections();',
    replace: '',
    breaks: 'an outage in the sandbox ends the connections that are open',
  },
];
