import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEncryption, KeyMissingError, type KeySources } from '../../src/encryption/encryption.ts';
import { type EncryptionKey, generateKeyText, parseEncryptionKey } from '../../src/encryption/encryption-key.ts';
import { KeyFileError, type KeyFileIssue } from '../../src/encryption/key-file.ts';
import { keyIdOf, SealedTextError, seal, unseal } from '../../src/encryption/sealed-text.ts';
import { tempDir } from '../../testing/temp-dir.ts';

function newKey(): EncryptionKey {
  const key = parseEncryptionKey(generateKeyText());
  if (key === null) throw new Error('A generated key is not valid.');
  return key;
}

const context = ['settings', '1', 'server', 'voteSecrets'];

describe('an encryption key', () => {
  it('is the same in hex, Base64 and Base64url', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const texts = [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')];
    const ids = texts.map((text) => parseEncryptionKey(text)?.id);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each([
    '',
    'password',
    'f'.repeat(63),
    'f'.repeat(65),
    'a'.repeat(32),
    `${'a'.repeat(42)}=`,
    `${'f'.repeat(64)}\n`,
  ])('is not %j', (text) => {
    expect(parseEncryptionKey(text)).toBe(null);
  });

  it('does not reveal itself when it is logged', () => {
    const text = generateKeyText();
    expect(JSON.stringify(parseEncryptionKey(text))).not.toContain(text.slice(0, 16));
  });
});

describe('an encrypted text', () => {
  it('can be read with its key at its place only', () => {
    const key = newKey();
    const sealed = seal(key, 'très secret 🔑', context);
    expect(unseal(key, sealed, context)).toBe('très secret 🔑');
    expect(sealed).not.toContain('secret');
    expect(keyIdOf(sealed)).toBe(key.id);
    expect(() => unseal(newKey(), sealed, context)).toThrow(SealedTextError);
    expect(() => unseal(key, sealed, ['settings', '2', 'server', 'voteSecrets'])).toThrow(SealedTextError);
    // The same letters with another boundary.
    expect(() => unseal(key, sealed, ['settings', '1s', 'erver', 'voteSecrets'])).toThrow(SealedTextError);
  });

  it('differs each time', () => {
    const key = newKey();
    const texts = Array.from({ length: 100 }, () => seal(key, 'secret', context));
    expect(new Set(texts).size).toBe(100);
  });

  it('is rejected if any byte of it was changed, or it is cut', () => {
    const key = newKey();
    const sealed = seal(key, 'secret', context);
    const prefix = `v1.${key.id}.`;
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => unseal(key, prefix + changed.toString('base64url'), context)).toThrow(SealedTextError);
      expect(() => unseal(key, prefix + bytes.subarray(0, index).toString('base64url'), context)).toThrow(
        SealedTextError,
      );
    }
    for (const text of ['', 'v1', prefix, `v2.${key.id}.${sealed.slice(prefix.length)}`, `${sealed}.x`]) {
      expect(() => createEncryption({ key, newKey: null, keyFile: null }).open(text, context)).toThrow(SealedTextError);
    }
  });
});

describe('encryption', () => {
  const sources = (some: Partial<KeySources>): KeySources => ({ key: null, newKey: null, keyFile: null, ...some });

  it('creates a private key file when a key is first needed, and uses it from then on', () => {
    const keyFile = join(tempDir(), 'tally.db.key');
    const encryption = createEncryption(sources({ keyFile }));
    expect([encryption.canSeal, existsSync(keyFile)]).toEqual([true, false]);
    const key = encryption.keyFor(null);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readdirSync(dirname(keyFile))).toEqual(['tally.db.key']);
    const sealed = seal(key, 'secret', context);
    expect(createEncryption(sources({ keyFile })).keyFor(null).id).toBe(key.id);
    expect(createEncryption(sources({ keyFile })).open(sealed, context)).toBe('secret');
  });

  it('does not replace a lost key file, with which everything would become unreadable', () => {
    const keyFile = join(tempDir(), 'tally.db.key');
    const encryption = createEncryption(sources({ keyFile }));
    const { id } = encryption.keyFor(null);
    rmSync(keyFile);
    expect(() => createEncryption(sources({ keyFile })).keyFor(id)).toThrow(/key of encrypted settings is missing/);
    expect(existsSync(keyFile)).toBe(false);
    // A running process still has it.
    expect(encryption.keyFor(id).id).toBe(id);
  });

  it('finds a key file that another process has created or replaced meanwhile', () => {
    const keyFile = join(tempDir(), 'tally.db.key');
    const encryption = createEncryption(sources({ keyFile }));
    for (const path of [keyFile, `${keyFile}.next`]) {
      const text = generateKeyText();
      writeFileSync(path, `${text}\n`, { mode: 0o600 });
      const key = parseEncryptionKey(text) as EncryptionKey;
      expect(encryption.open(seal(key, 'secret', context), context)).toBe('secret');
    }
  });

  it('uses SETTINGS_KEY and creates no file, and reads with both keys during a rotation', () => {
    const keyFile = join(tempDir(), 'tally.db.key');
    const [key, next] = [newKey(), newKey()];
    expect(createEncryption(sources({ key, keyFile })).keyFor(null)).toBe(key);
    expect(existsSync(keyFile)).toBe(false);
    const both = createEncryption(sources({ key, newKey: next }));
    expect(both.keyFor(null)).toBe(next);
    for (const each of [key, next]) expect(both.open(seal(each, 'secret', context), context)).toBe('secret');
  });

  it('says which setting is missing, without a key or with another one', () => {
    const sealed = seal(newKey(), 'secret', context);
    const openWith = (some: Partial<KeySources>) => () => createEncryption(sources(some)).open(sealed, context);
    expect(openWith({})).toThrow(expect.objectContaining({ hint: expect.stringContaining('openssl rand -hex 32') }));
    expect(openWith({ key: newKey() })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('the key with which they were stored') }),
    );
    expect(openWith({ keyFile: '/nowhere/tally.db.key' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('/nowhere/tally.db.key') }),
    );
    expect(createEncryption(sources({})).canSeal).toBe(false);
  });

  it('uses a key file that others can read, takes their permission away, and reports it once', () => {
    const keyFile = join(tempDir(), 'tally.db.key');
    writeFileSync(keyFile, `${generateKeyText()}\n`);
    const mode = () => statSync(keyFile).mode & 0o777;
    chmodSync(keyFile, 0o644);
    // Without a place for the report, nothing is changed.
    const { id } = createEncryption(sources({ keyFile })).keyFor(null);
    expect(mode()).toBe(0o644);
    const issues: KeyFileIssue[] = [];
    const encryption = createEncryption(sources({ keyFile }), (issue) => issues.push(issue));
    expect(encryption.keyFor(id).id).toBe(id);
    expect(mode()).toBe(0o600);
    expect(issues).toEqual([
      { path: keyFile, problem: expect.stringContaining('could read'), hint: expect.stringContaining('rekey') },
    ]);
    // The group may read it: Kubernetes assigns volumes to the group of the container.
    chmodSync(keyFile, 0o640);
    createEncryption(sources({ keyFile }), (issue) => issues.push(issue));
    expect([mode(), issues.length]).toEqual([0o640, 1]);
  });

  it.each([
    ['is empty', ''],
    ['is cut', generateKeyText().slice(0, 40)],
    ['has something else', 'password'],
  ])('treats a key file that %s like a missing one, reports it, and does not replace it', (_, text) => {
    const keyFile = join(tempDir(), 'tally.db.key');
    const before = createEncryption(sources({ keyFile }));
    const key = before.keyFor(null);
    const sealed = seal(key, 'secret', context);
    writeFileSync(keyFile, text);
    const issues: KeyFileIssue[] = [];
    const encryption = createEncryption(sources({ keyFile }), (issue) => issues.push(issue));
    for (const use of [() => encryption.open(sealed, context), () => encryption.keyFor(key.id)]) {
      expect(use).toThrow(KeyMissingError);
      expect(use).toThrow(expect.objectContaining({ hint: expect.stringContaining(`${keyFile} `) }));
    }
    expect(() => encryption.keyFor(null)).toThrow(KeyFileError);
    expect(issues).toHaveLength(1);
    expect(readFileSync(keyFile, 'utf8')).toBe(text);
    // A running process still has the key, also after it has looked for another one.
    expect(() => before.keyFor('another')).toThrow(KeyMissingError);
    expect(before.open(sealed, context)).toBe('secret');
  });

  it('treats a directory in place of the key file like a missing key', () => {
    const keyFile = tempDir();
    const issues: KeyFileIssue[] = [];
    const encryption = createEncryption(sources({ keyFile }), (issue) => issues.push(issue));
    expect(() => encryption.keyFor('000000000000')).toThrow(KeyMissingError);
    expect(issues).toEqual([expect.objectContaining({ problem: expect.stringContaining('is a folder') })]);
  });
});
