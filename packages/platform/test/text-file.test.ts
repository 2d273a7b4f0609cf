import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextFile } from '../src/text-file.ts';
import { tempDir } from '../testing/temp-dir.ts';

const text = 'TOKEN=abc\r\nNAME=Käse 東京 🧀\n';
const utf16 = (content: string) => Buffer.from(content, 'utf16le');

function read(content: string | Buffer, maxSize?: number): string {
  const path = join(tempDir(), 'file');
  writeFileSync(path, content);
  return readTextFile(path, maxSize);
}

describe('a text file', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte-order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-8 with two of them', Buffer.from(`\uFEFF\uFEFF${text}`)],
    ['UTF-16LE with a byte-order mark', utf16(`\uFEFF${text}`)],
    ['UTF-16LE without', utf16(text)],
    ['UTF-16BE with a byte-order mark', utf16(`\uFEFF${text}`).swap16()],
    ['UTF-16BE without', utf16(text).swap16()],
  ])('is read in %s', (_name, content) => {
    expect(read(content)).toBe(text);
  });

  it('is empty if it has no bytes, or a byte-order mark alone', () => {
    expect([read(''), read('\uFEFF'), read(utf16('\uFEFF'))]).toEqual(['', '', '']);
  });

  it.each([
    ['Windows-1252', Buffer.from('A=1\nB=Käse\n', 'latin1'), /is not UTF-8: line 2 has .*Windows-1252/],
    ['UTF-8 that is cut off', Buffer.from('Kä').subarray(0, 2), /is not UTF-8: line 1/],
    ['UTF-8 with a part in UTF-16', Buffer.concat([Buffer.from('A=1\n'), utf16('B=2\n')]), /zero bytes/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), /zero bytes/],
    ['a workbook', Buffer.from('PK\u0003\u0004 xl'), /is a ZIP archive, such as \.xlsx/],
  ])('is refused, and its encoding named, in %s', (_name, content, message) => {
    expect(() => read(content)).toThrow(message);
  });

  it('is refused if it is a folder, missing, too large, or without permission', () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'folder'));
    expect(() => readTextFile(join(directory, 'folder'))).toThrow(
      expect.objectContaining({ problem: 'is a folder, not a file', hint: expect.stringContaining('Docker') }),
    );
    expect(() => readTextFile(join(directory, 'none'))).toThrow(
      expect.objectContaining({ problem: 'does not exist', isMissing: true }),
    );
    expect(() => read('abc', 2)).toThrow('is larger than');
    // Without an end.
    if (process.platform === 'linux') expect(() => readTextFile('/dev/zero')).toThrow('is larger than 16 MiB');
    const closed = join(directory, 'closed');
    writeFileSync(closed, 'x');
    chmodSync(closed, 0);
    if (process.getuid?.() !== 0) expect(() => readTextFile(closed)).toThrow('the permission is missing');
  });
});
