import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { diskBytesPer, readDiskBytes, warmPages } from '../../bench/process/disk-reads.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'disk-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

it('what a process read from the disk is known where the system tells', () => {
  const proc = temporaryDirectory();
  expect(readDiskBytes(proc)).toBe(null);
  mkdirSync(join(proc, 'self'));
  writeFileSync(join(proc, 'self', 'io'), 'rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n');
  expect(readDiskBytes(proc)).toBe(4_096);
  expect(diskBytesPer(4, 4_096, 12_288)).toBe(2_048);
  expect([diskBytesPer(4, null, 12_288), diskBytesPer(4, 4_096, null)]).toEqual([Number.NaN, Number.NaN]);
});

it.runIf(process.platform === 'linux')('a file that was read is read from no disk again', async () => {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, Buffer.alloc(3_000_000));
  await warmPages(path);
  const before = readDiskBytes();
  await warmPages(path);
  expect(diskBytesPer(1, before, readDiskBytes())).toBeLessThan(3_000_000);
});
