import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { repository, homepage, bugs, version } = z
  .object({ repository: z.object({ url: z.string() }), homepage: z.string(), bugs: z.string(), version: z.string() })
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
  'runs-on': z.string().optional(),
  uses: z.string().optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  'timeout-minutes': z.number().optional(),
  permissions: permissions.optional(),
  steps: z.array(step).default([]),
});
const workflow = z.looseObject({ permissions, jobs: z.record(z.string(), job) });

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) => ({
  path,
  ...workflow.parse(parseYaml(path)),
}));
const jobs = workflows.flatMap(({ path, jobs }) => Object.entries(jobs).map(([name, job]) => ({ path, ...job, name })));

describe('the workflows', () => {
  it('exist for CI, for releases and for the site', () => {
    expect(workflows.map(({ path }) => path).toSorted()).toEqual([
      '.github/workflows/ci.yml',
      '.github/workflows/release.yml',
      '.github/workflows/site.yml',
    ]);
  });

  it('may read the repository only; a job that writes says what', () => {
    for (const { path, permissions } of workflows) expect(permissions, path).toEqual({ contents: 'read' });
    const writing = jobs.flatMap(({ name, permissions = {} }) =>
      Object.entries(permissions).flatMap(([what, access]) => (access === 'write' ? [`${name}: ${what}`] : [])),
    );
    expect(writing).toEqual([
      'package: id-token',
      'image: packages',
      'publish-image: packages',
      'release: contents',
      'publish: pages',
      'publish: id-token',
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

describe('the forms and settings for GitHub', () => {
  it('are valid', () => {
    const element = z.looseObject({
      type: z.enum(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']),
      id: z.string().optional(),
      attributes: z.looseObject({}),
    });
    const form = z.strictObject({
      name: z.string(),
      description: z.string(),
      labels: z.array(z.string()),
      body: z.array(element).min(1),
    });
    const contact = z.strictObject({ name: z.string(), url: z.url(), about: z.string() });
    const config = z.strictObject({ blank_issues_enabled: z.boolean(), contact_links: z.array(contact) });
    for (const path of globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root })) {
      (path.endsWith('config.yml') ? config : form).parse(parseYaml(path));
    }
    const renovate = z.looseObject({ extends: z.array(z.string()) }).parse(JSON.parse(read('.github/renovate.json')));
    expect(renovate.extends).toEqual(expect.arrayContaining(['docker:pinDigests', 'helpers:pinGitHubActionDigests']));
  });
});

describe('the address of the project', () => {
  it('follows from the repository in package.json', () => {
    expect(homepage).toBe(`https://github.com/${slug}#readme`);
    expect(bugs).toBe(`https://github.com/${slug}/issues`);
  });

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
