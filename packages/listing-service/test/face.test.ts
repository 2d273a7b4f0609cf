import { writeFileSync } from 'node:fs';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { readFace } from '../src/cli/face.ts';
import type { StartOptions } from '../src/cli/options.ts';
import { serviceCommand } from '../src/cli/service-command.ts';
import { contrastOf, toColour } from '../src/face/accent.ts';
import { ask, running } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

function file(name: string, content: string | Uint8Array): string {
  const path = `${tempDir()}/${name}`;
  writeFileSync(path, content);
  return path;
}

test('the options and the variables give the pages their name, logo, links and texts', async () => {
  const values = {
    ...{
      name: 'Harbour List',
      logo: file('logo.svg', svg),
      imprint: file('imprint.txt', '# Us\n\nQuay 1 <b>\n\nme@x.example'),
    },
    footerLink: ['Status=https://status.example', 'Mail=mailto:me@x.example'],
  } as unknown as StartOptions;
  const environment = {
    SERVICE_ACCENT: '#ffee00',
    SERVICE_NAME: 'Not this',
    SERVICE_TERMS: file('terms.txt', 'Be kind: https://x.example/a.'),
  };
  const face = await readFace(values, { ...captive().terminal, environment });
  const { service } = await running({ face });
  const home = (await ask(`${service.url}/`)).text;
  expect(home).toContain('<title>Servers and bots · Harbour List</title>');
  expect(home).toContain('<a href="https://status.example" rel="noreferrer" dir="auto">Status</a>');
  expect(home).toContain('href="mailto:me@x.example"');
  const imprint = (await ask(`${service.url}/imprint`)).text;
  expect(imprint).toContain('<h1>Imprint</h1><h2>Us</h2><p>Quay 1 &#60;b&#62;</p>');
  expect(imprint).toContain('<p><a href="mailto:me@x.example">me@x.example</a></p>');
  expect((await ask(`${service.url}/terms`)).text).toContain('<a href="https://x.example/a">https://x.example/a</a>.');
  expect((await ask(`${service.url}/privacy`)).text).toContain('What this service stores about you');
  const logo = await ask(`${service.url}/assets/logo`);
  expect([logo.text, logo.headers.get('content-type')]).toEqual([svg, 'image/svg+xml']);
  expect(logo.headers.get('content-security-policy')).toContain('sandbox');
});

test('without them there is the page on privacy alone', async () => {
  const { service } = await running();
  for (const [path, status] of [
    ['/privacy', 200],
    ['/imprint', 404],
    ['/terms', 404],
    ['/assets/logo', 404],
  ] as const) {
    expect([path, (await ask(service.url + path)).status]).toEqual([path, status]);
  }
});

test('an accent is readable on every ground of both themes', async () => {
  const { service } = await running({ face: { accent: '#ffee00' } });
  const css = (await ask(`${service.url}/assets/service.css`)).text;
  const found = (name: string) =>
    [...css.matchAll(new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`, 'g'))]
      .at(-1)
      ?.slice(1)
      .map(toColour) ?? [];
  const [light, dark] = found('accent');
  const [lightGround, darkGround] = found('ground');
  if (!light || !dark || !lightGround || !darkGround) throw new Error('A colour is missing.');
  expect(contrastOf(light, lightGround)).toBeGreaterThanOrEqual(4.5);
  expect(contrastOf(dark, darkGround)).toBeGreaterThanOrEqual(4.5);
});

test.each([
  [['--name', ' '], '--name must have 1 to 60 characters.'],
  [['--accent', 'red'], '--accent must be a colour such as #1f5f6b.'],
  [['--footer-link', 'Status=javascript:alert(1)'], '--footer-link must be "Text=https://…"'],
  [['--logo', import.meta.filename], '--logo must be a PNG'],
  [['--terms', '/no/such/file'], '--terms: The file "/no/such/file" does not exist.'],
])('%s is rejected with the reason', async (args, reason) => {
  const { terminal, output } = captive();
  expect(await serviceCommand(['--database', ':memory:', '--port', '0', ...args], terminal)).toBe(2);
  expect(output()).toContain(reason);
  expect(output()).toContain('--help');
});
