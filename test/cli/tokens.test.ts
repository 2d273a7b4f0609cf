import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

const guilds = ['613425648685547541', '613425648685547542'];

function start(count: number) {
  const listings = guilds.slice(0, count).map((guildId, index) => {
    return { ...harbour, kind: 'bot', name: `listing-${index}`, lookupKey: `key-${index}`, guildId };
  });
  const environment = { ...environmentWith(listings), DATABASE_URL: newSqliteUrl(), CACHE_URL: 'memory:' };
  return (...args: readonly string[]) => runCommand(['tokens', ...args], environment);
}

describe('tallyhook tokens', () => {
  it('creates a token, lists it without the token, and revokes it', async () => {
    const tokens = start(1);
    const created = await tokens('create', '--name', 'quiz', '--scopes', 'write,read', '--expires', '90d');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^thk_[\w-]{43}\n$/) });
    const { stdout } = await tokens('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 1, name: 'quiz', scopes: ['read', 'write'], createdBy: 'operator', usedAt: null, revokedAt: null },
    ]);
    expect(stdout).not.toContain(created.stdout.trim());
    expect((await tokens('list')).stdout).toMatch(/^1 {2}quiz: read, write, never used, ends 20/);
    expect(await tokens('revoke', '1')).toMatchObject({ code: 0, stdout: 'Token 1: revoked.\n' });
    expect((await tokens('revoke', '1')).code).toBe(2);
    expect((await tokens('list')).stdout).toContain(', revoked 20');
  });

  it('has to know the community, the scopes and the end', async () => {
    const tokens = start(2);
    const rejected = async (...args: readonly string[]) => {
      const { code, stderr } = await tokens('create', '--name', 'quiz', ...args);
      expect(code, stderr).toBe(2);
      return stderr;
    };
    expect(await rejected()).toContain('choose one with --guild');
    expect(await rejected('--guild', guilds[0] ?? '', '--scopes', 'reed')).toContain('Did you mean read?');
    expect(await rejected('--guild', guilds[0] ?? '', '--expires', 'soon')).toContain('--expires must be');
    const created = await tokens('create', '--name', 'quiz', '--guild', guilds[1] ?? '', '--json');
    expect(JSON.parse(created.stdout)).toMatchObject({ guildId: guilds[1], scopes: ['read'], expiresAt: null });
    expect((await tokens('list', '--guild', guilds[0] ?? '')).stdout).toBe('The community has no tokens.\n');
  });
});
