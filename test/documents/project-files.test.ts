import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { z } from 'zod';
import { settingNames } from '../../config/settings.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { repository, version } = z
  .object({ repository: z.object({ url: z.string() }), version: z.string() })
  .parse(JSON.parse(read('package.json')));
/** `owner/name`, which package.json alone decides. */
const slug = repository.url.replace('git+https://github.com/', '').replace(/\.git$/, '');

function parseYaml(path: string): unknown {
  const document = parseDocument(read(path));
  expect([...document.errors, ...document.warnings], path).toEqual([]);
  return document.toJS();
}

const step = z.looseObject({ uses: z.string().optional(), run: z.string().optional() });
const permissions = z.record(z.string(), z.enum(['read', 'write']));
const job = z.looseObject({
  ...{ 'runs-on': z.string().optional(), uses: z.string().optional() },
  ...{ needs: z.union([z.string(), z.array(z.string())]).optional(), 'timeout-minutes': z.number().optional() },
  ...{ permissions: permissions.optional(), steps: z.array(step).default([]) },
});
const workflow = z.looseObject({ permissions, jobs: z.record(z.string(), job) });

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) => ({
  path,
  ...workflow.parse(parseYaml(path)),
}));
const jobs = workflows.flatMap(({ path, jobs }) => Object.entries(jobs).map(([name, job]) => ({ path, ...job, name })));

describe('the workflows', () => {
  it('may read the repository only; a job that writes says what', () => {
    for (const { path, permissions } of workflows) expect(permissions, path).toEqual({ contents: 'read' });
    const writing = jobs.flatMap(({ name, permissions = {} }) =>
      Object.entries(permissions).flatMap(([what, access]) => (access === 'write' ? [`${name}: ${what}`] : [])),
    );
    expect(writing).toEqual([
      ...['package: id-token', 'image: packages', 'publish-image: packages', 'release: contents'],
      ...['publish: pages', 'publish: id-token'],
    ]);
  });

  it('look for the section of the changelog before they publish anything', () => {
    const release = new Map(jobs.filter(({ path }) => path.endsWith('release.yml')).map((each) => [each.name, each]));
    expect(release.get('check')?.needs).toBe('notes');
    for (const name of ['package', 'image']) expect(release.get(name)?.needs).toBe('check');
    const notes = (version: string) =>
      spawnSync(join(root, 'scripts', 'release-notes.sh'), [version], { encoding: 'utf8' });
    expect(notes('99.0.0')).toMatchObject({ status: 1, stdout: '' });
    const [, version = '', date] = /^## \[([\d.]+)\] - (.+)$/m.exec(read('CHANGELOG.md')) ?? [];
    const { status, stdout, stderr } = notes(version);
    if (date === 'Unreleased')
      expect([status, stderr]).toEqual([1, expect.stringContaining(`[${version}] - YYYY-MM-DD`)]);
    else expect([status, stdout]).toEqual([0, expect.stringContaining('\n- ')]);
  });

  it('pin each action by the commit of a version, and keep no credentials in the clone', () => {
    const actions = workflows.flatMap(({ path }) => [...read(path).matchAll(/uses: (\S+@\S+)(.*)/g)]);
    expect(actions.length).toBeGreaterThan(4);
    for (const [line] of actions) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { path, steps } of jobs) {
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const { with: options } of checkouts) expect(options, path).toMatchObject({ 'persist-credentials': false });
    }
  });

  it('end in time, need jobs that exist, and run files that exist', () => {
    for (const { path, name, uses, needs = [], steps, ...rest } of jobs) {
      const called = uses?.startsWith('./');
      if (!called) expect(rest['timeout-minutes'], `${path} ${name}`).toBeGreaterThan(0);
      else expect(existsSync(join(root, uses ?? '')), uses).toBe(true);
      const siblings = jobs.filter((each) => each.path === path).map((each) => each.name);
      expect(siblings, name).toEqual(expect.arrayContaining([needs].flat()));
      const files = steps.flatMap(({ run = '' }) => run.match(/(?<![\w/.])(?:\.ci|scripts|deploy)\/[\w.-]+/g) ?? []);
      for (const file of files) expect(existsSync(join(root, file)), file).toBe(true);
      const texts = steps.map(({ run = '' }) => run).join('\n');
      // What others may choose, such as the name of a branch, must not become a part of a script.
      expect(texts, name).not.toMatch(/\$\{\{/);
    }
  });

  it('run scripts of package.json that exist', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
    const texts = [read('.ci/run'), ...workflows.map(({ path }) => read(path))].join('\n');
    const used = [...texts.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(used));
  });
});

describe('the container for development', () => {
  it('installs, and starts the sandbox with scripts that exist, on the ports that it shows', () => {
    const container = z
      .object({ postCreateCommand: z.literal('npm ci'), postAttachCommand: z.string(), forwardPorts: z.array(z.int()) })
      .loose()
      .parse(JSON.parse(read('.devcontainer/devcontainer.json')));
    expect(container.postAttachCommand).toBe('npm start -- --no-open');
    expect(Object.keys(container['portsAttributes'] ?? {}).map(Number)).toEqual(
      container.forwardPorts.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const sandbox = read('src/sandbox/cli.ts');
    for (const port of container.forwardPorts) expect(sandbox).toContain(`${port})`);
  });
});

describe('the tests', () => {
  it('insist on every program that they can use only in .ci/run, not wherever CI is set', () => {
    expect(read('.ci/run')).toMatch(/^export TALLYHOOK_TEST_ALL=1$/m);
    const files = globSync('test/**/*.ts', { cwd: root });
    expect(files.filter((path) => /process\.env(\.CI\b|\['CI'\])/.test(read(path)))).toEqual([]);
  });
});

describe('the address of the project', () => {
  it('is where the schema of the configuration is, which the files of examples name', () => {
    const { $id } = z.looseObject({ $id: z.string() }).parse(JSON.parse(read('docs/tallyhook.schema.json')));
    expect($id).toBe(`https://raw.githubusercontent.com/${slug}/main/docs/tallyhook.schema.json`);
    const files = globSync('{docs,examples}/**/*.{md,json}', { cwd: root, exclude: ['**/node_modules/**'] });
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/"\$schema": "([^"]*tallyhook\.schema\.json)"/g)].map(([, address]) => ({
        file,
        address,
      })),
    );
    expect(named.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['docs/configuration.md', 'examples/several-communities/listings.json']),
    );
    for (const { address, file } of named) expect(['./tallyhook.schema.json', $id], file).toContain(address);
  });

  it('is the same in every file', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    const texts = files.filter(
      (file) => /\.(md|ya?ml|json|toml|ts|txt)$|Dockerfile$|Caddyfile$/.test(file) && existsSync(join(root, file)),
    );
    const named = texts.flatMap((file) =>
      [
        ...read(file).matchAll(
          /(?<!api\.)(?:github\.com|raw\.githubusercontent\.com|ghcr\.io)\/([\w.-]+\/tallyhook)\b/g,
        ),
      ].map(([, name]) => `${name} in ${file}`),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((each) => !each.startsWith(`${slug} in `))).toEqual([]);
  });

  it('names the image of this version', () => {
    const files = globSync('{compose.yaml,{deploy,docs}/**/*.{md,yaml,Dockerfile,json}}', { cwd: root });
    const versions = files.flatMap((file) =>
      [...read(file).matchAll(/ghcr\.io\/[\w.-]+\/tallyhook:([\w.-]+)/g)].map(([, tag]) => `${tag} in ${file}`),
    );
    expect(versions.filter((each) => !each.startsWith(`${version} in `))).toEqual([]);
  });
});

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

/** A line of the part of TOML that the pages use. */
const tomlLine = /^ *(?:#.*|\[[a-z_.]+\]|\[\[[a-z_.]+\]\]|[A-Za-z_]+ = (?:"(?:[^"\\]|\\.)*"|\d+|true|false))?$/;

describe('the guides', () => {
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
      for (const line of blocksOf(text, 'toml').join('\n').split('\n')) expect(line, path).toMatch(tomlLine);
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
    const fly = blockOf('fly', 'toml');
    const inFly = (key: string) =>
      new RegExp(
        `^ *${key} = "?([^"
]*)`,
        'm',
      ).exec(fly)?.[1] ?? '';
    const railway = JSON.parse(blockOf('railway', 'json'));
    for (const file of [inFly('dockerfile'), railway.build.dockerfilePath])
      expect(existsSync(join(root, file))).toBe(true);
    expect([inFly('destination'), inFly('internal_port')]).toEqual(['/data', '3000']);
    expect([inFly('path'), railway.deploy.healthcheckPath]).toEqual(['/healthz', '/healthz']);
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
