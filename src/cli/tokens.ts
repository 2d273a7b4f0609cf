import { systemClock } from '@tallyhook/platform/clock';
import { expectedDuration, isDurationInRange, parseDuration } from '@tallyhook/platform/duration-text';
import { isoTime } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { loadConfig } from '../../config/load.ts';
import type { CommunityId } from '../core/ledger/account.ts';
import { operator } from '../core/ledger/correction.ts';
import { withoutGuild } from '../features/communities/directory.ts';
import { maxTokenNameLength, maxTokens, type TokenScope, tokenScopes } from '../features/tokens/store.ts';
import { Tokens } from '../features/tokens/tokens.ts';
import { findCommunity, withStore } from './open-database.ts';

interface OfCommunity {
  readonly guild?: string;
}

export async function createToken(
  options: OfCommunity & {
    readonly name: string;
    readonly scopes: string;
    readonly expires?: string;
    readonly json?: boolean;
  },
  terminal: Terminal,
): Promise<number> {
  const { expires, json } = options;
  const name = options.name.trim();
  if (name === '' || name.length > maxTokenNameLength || /\p{C}/u.test(name))
    throw new UsageError(`--name must have 1 to ${maxTokenNameLength} characters.`);
  const scopes = scopesOf(options.scopes);
  const lifetimeMs = expires === undefined ? null : parseDuration(expires);
  if (lifetimeMs !== null && !isDurationInRange(lifetimeMs))
    throw new UsageError(`--expires must be ${expectedDuration}.`);
  return withTokens(options, async (tokens, { communityId, guildId }) => {
    const expiresAt = lifetimeMs === null ? null : systemClock.now() + lifetimeMs;
    const created = await tokens.create({ communityId, name, scopes, expiresAt, createdBy: operator });
    if (created === null) {
      throw new UsageError(
        `The community has ${maxTokens} valid tokens. Revoke one first: tallyhook tokens revoke ID.`,
      );
    }
    const { id, secret: token } = created;
    if (json) {
      terminal.print(JSON.stringify({ token, id, name, scopes, expiresAt: isoTime(expiresAt), guildId }, null, 2));
      return exitCode.ok;
    }
    terminal.printError(`Token ${id} (${name}: ${scopes.join(', ')}). It is shown only now:`);
    terminal.print(token);
    return exitCode.ok;
  });
}

export async function listTokens(
  options: OfCommunity & { readonly json?: boolean },
  { print }: Terminal,
): Promise<number> {
  return withTokens(options, async (tokens, { communityId }) => {
    const list = (await tokens.list(communityId)).map(({ id, name, scopes, createdBy, ...token }) => ({
      ...{ id, name, scopes, createdAt: isoTime(token.createdAt), createdBy },
      ...{ expiresAt: isoTime(token.expiresAt), usedAt: isoTime(token.usedAt), revokedAt: isoTime(token.revokedAt) },
    }));
    if (options.json || list.length === 0) {
      print(options.json ? JSON.stringify(list, null, 2) : 'The community has no tokens.');
      return exitCode.ok;
    }
    for (const { id, name, scopes, expiresAt, usedAt, revokedAt } of list) {
      const end = revokedAt === null ? (expiresAt === null ? '' : `, ends ${expiresAt}`) : `, revoked ${revokedAt}`;
      print(`${id}  ${name}: ${scopes.join(', ')}, ${usedAt === null ? 'never used' : `used ${usedAt}`}${end}`);
    }
    return exitCode.ok;
  });
}

export async function revokeToken(
  options: OfCommunity,
  { print }: Terminal,
  [id = '']: readonly string[],
): Promise<number> {
  return withTokens(options, async (tokens, { communityId }) => {
    const revoked = /^\d{1,15}$/.test(id) ? await tokens.revoke(communityId, Number(id), operator) : null;
    if (revoked === null) throw new UsageError('Specify the id of a token of the community that is not revoked.');
    print(`Token ${id}: revoked.`);
    return exitCode.ok;
  });
}

async function withTokens(
  { guild = null }: { readonly guild?: string | null },
  use: (tokens: Tokens, community: { readonly communityId: CommunityId; readonly guildId: string }) => Promise<number>,
): Promise<number> {
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const { id: communityId, guildId } = await findCommunity(config, store, guild);
    const log = createLog({ level: 'silent', secrets: config.secrets });
    const tokens = new Tokens({ store: store.tokens, clock: systemClock, log });
    return use(tokens, { communityId, guildId: guildId ?? withoutGuild });
  });
}

/** @throws UsageError */
function scopesOf(text: string): readonly TokenScope[] {
  const wanted = text.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !tokenScopes.some((each) => each === scope));
  if (unknown !== undefined) {
    const message = `There is no scope "${unknown}". The scopes are ${tokenScopes.join(', ')}.`;
    throw new UsageError(withSuggestion(message, unknown, tokenScopes));
  }
  return tokenScopes.filter((scope) => wanted.includes(scope));
}
