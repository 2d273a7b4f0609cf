import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settingNames } from '../../config/settings.ts';
import { parseToml } from './toml.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = globSync('docs/{guides/*,hosting/*,troubleshooting}.md', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** Variables of systemd, the panel, and Node. */
const foreignNames = ['TUNNEL_TOKEN', 'AF_INET', 'AF_INET6', 'AF_UNIX', 'NODE_ENV', 'SERVER_PORT', 'TALLYHOOK_VERSION'];

function blocksOf(text: string, language: string): string[] {
  const blocks = [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)\n *```$/gm)];
  return blocks.flatMap(([, indent = '', name, content = '']) =>
    name === language ? [content.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  );
}

function blockOf(page: string, language: string): string {
  const [block] = blocksOf(pages.find(({ path }) => path.endsWith(`/${page}.md`))?.text ?? '', language);
  if (block === undefined) throw new Error(`${page} has no block of ${language}.`);
  return block;
}

describe('the guides', () => {
  it('exist for every reader and every place to run it', () => {
    const names = pages.map(({ path }) => path.replace(/^docs\/(.*)\.md$/, '$1'));
    expect(names).toEqual(
      expect.arrayContaining([
        ...['member', 'owner', 'self-hoster', 'developer'].map((name) => `guides/${name}`),
        ...['README', 'caddy', 'fly', 'kubernetes', 'nginx', 'pterodactyl', 'railway'].map((name) => `hosting/${name}`),
        ...['raspberry-pi', 'systemd', 'tunnels'].map((name) => `hosting/${name}`),
        'troubleshooting',
      ]),
    );
  });

  it('name only settings that exist', () => {
    const unknown = pages.flatMap(({ path, text }) => {
      const named = text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
      const settings = named.map((name) => name.replace(/_FILE$/, ''));
      return settings
        .filter((name) => ![...settingNames, ...foreignNames].includes(name))
        .map((name) => `${name} in ${path}`);
    });
    expect(unknown).toEqual([]);
  });

  it('have valid YAML, JSON and TOML', () => {
    for (const { path, text } of pages) {
      for (const block of blocksOf(text, 'json')) expect(() => JSON.parse(block), path).not.toThrow();
      for (const block of blocksOf(text, 'toml')) expect(() => parseToml(block), path).not.toThrow();
      for (const document of blocksOf(text, 'yaml').flatMap((block) => parseAllDocuments(block))) {
        expect([...document.errors, ...document.warnings], path).toEqual([]);
      }
    }
  });

  it('use files, scripts and commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const commands = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    for (const { path, text } of pages) {
      for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g))
        expect(Object.keys(scripts), path).toContain(script);
      const used = [...text.matchAll(/(?:`tallyhook|npm run tallyhook(?: --)?|launch\.js) ([a-z]+)\b/g)];
      for (const [, command = ''] of used)
        expect(commands, path).toMatch(new RegExp(`^tallyhook \\[?${command}\\b`, 'm'));
    }
  });
});

describe('the places to run it', () => {
  it('build from files that exist, keep the data in /data, and request a health check that exists', () => {
    const fly = parseToml(blockOf('fly', 'toml')) as {
      build: { dockerfile: string };
      mounts: [{ destination: string }];
      http_service: { internal_port: number; checks: [{ path: string }] };
    };
    const railway = JSON.parse(blockOf('railway', 'json'));
    for (const file of [fly.build.dockerfile, railway.build.dockerfilePath])
      expect(existsSync(join(root, file))).toBe(true);
    expect(fly.mounts.map(({ destination }) => destination)).toEqual(['/data']);
    expect(fly.http_service.internal_port).toBe(3000);
    const checks = [fly.http_service.checks[0].path, railway.deploy.healthcheckPath];
    expect(checks).toEqual(['/healthz', '/healthz']);
  });

  it('forward every public path', () => {
    const paths = ['webhooks', 'interactions', 'connect', 'linked-roles', 'owner'];
    const proxies = [blockOf('nginx', 'nginx'), blockOf('caddy', 'caddyfile'), blockOf('tunnels', 'yaml')];
    for (const proxy of proxies) for (const path of paths) expect(proxy).toContain(path);
  });

  it('install the published program in the panel', () => {
    const egg = JSON.parse(blockOf('pterodactyl', 'json'));
    const { bin, name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(egg.startup).toContain(` node node_modules/${name}/${bin[name]} start`);
    const [, line = ''] = /"done": "(.+)"/.exec(egg.config.startup) ?? [];
    expect(readFileSync(join(root, 'src/app/assembly.ts'), 'utf8')).toContain(`'${line}'`);
    expect(egg.scripts.installation.script).toContain(egg.variables[0].env_variable);
  });
});
