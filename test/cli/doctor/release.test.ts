import { describe, expect, it } from 'vitest';
import { checkRelease } from '../../../src/cli/doctor/installation.ts';
import { serve } from '../../support/start-receiver.ts';

async function findingsFor(body: string, version: string, status = 200) {
  const url = await serve((_, response) => void response.writeHead(status).end(body));
  return checkRelease(url, version, 5_000);
}

const release = (tag: string) => JSON.stringify({ tag_name: tag, html_url: 'https://example.com/releases/1' });

describe('the check of the version', () => {
  it('warns of a newer version, and says where its changes are', async () => {
    for (const [own, latest] of [
      ['0.1.0', 'v0.1.1'],
      ['0.9.0', 'v0.10.0'],
      ['1.9.9', '2.0.0'],
    ] as const) {
      const [finding] = await findingsFor(release(latest), own);
      expect(finding).toMatchObject({ level: 'warn', message: expect.stringContaining(latest.replace('v', '')) });
      expect(finding?.hint).toContain('https://example.com/releases/1');
    }
  });

  it.each([
    ['0.1.0', 'v0.1.0'],
    ['0.2.0', 'v0.1.9'],
    ['1.0.0', 'v0.99.99'],
  ])('passes for %s when the latest release is %s', async (own, latest) => {
    expect(await findingsFor(release(latest), own)).toEqual([
      { level: 'pass', message: 'This version is the latest.', hint: null },
    ]);
  });

  it.each([
    ['{"message":"rate limit"}', 403],
    ['<html>', 200],
    [release('nightly'), 200],
    ['{"tag_name":7}', 200],
  ])('needs no attention for the response %s with status %d', async (body, status) => {
    const [finding] = await findingsFor(body, '0.1.0', status);
    expect(finding).toMatchObject({ level: 'pass', message: expect.stringContaining('not known') });
  });

  it('needs no attention without a network, and asks nobody when it is off', async () => {
    expect(await checkRelease('http://127.0.0.1:9/', '0.1.0', 5_000)).toMatchObject([{ level: 'pass' }]);
    expect(await checkRelease(null, '0.1.0', 5_000)).toEqual([]);
  });
});
