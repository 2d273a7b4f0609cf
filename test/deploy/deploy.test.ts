import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { running } from 'listing-service/testing/running';
import { captive } from 'listing-service/testing/terminal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { settingNames } from '../../config/settings.ts';
import { serviceCommand } from '../../packages/listing-service/src/cli/service-command.ts';
import { createApp } from '../../src/app/app.ts';
import { botToken } from '../support/bot-token.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { serve } from '../support/start-receiver.ts';
import {
  composeProcesses,
  type DescribedProcess,
  imageEnvironment,
  kubernetesProcesses,
  readCaddyfile,
  readCompose,
  readManifests,
} from './deployment.ts';

const roles = ['receive', 'announce', 'answer'];
const manifests = readManifests().map(({ manifest }) => manifest);
const compose = readCompose();
const image = `tallyhook:${JSON.parse(readFileSync('package.json', 'utf8')).version}`;

/** Values of the settings that the deployments leave to files and to the operator. */
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://tallyhook:password@postgres/tallyhook',
  SETTINGS_KEY: 'ab'.repeat(32),
  DISCORD_TOKEN: botToken,
  OWNER_TOKEN: 'owner-token-owner-token',
};

/** Without them, some of the paths do not exist. */
const optionalParts = {
  DISCORD_PUBLIC_KEY: 'ab'.repeat(32),
  DISCORD_CLIENT_SECRET: 'client-secret',
  PUBLIC_URL: 'https://votes.example.com',
  SETTINGS_KEY: 'ab'.repeat(32),
};

/** The settings of a process in its container: secrets as files, and variables of Compose filled in. */
function effectiveSettings({ environment }: DescribedProcess): Record<string, string> {
  const directory = tempDir();
  const merged = Object.entries({ ...imageEnvironment(), ...environment });
  return Object.fromEntries(
    merged.map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, fillIn(value)];
      const path = join(directory, value);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${secretValues[name.replace(/_FILE$/, '')] ?? ''}\n`, { mode: 0o600 });
      return [name, path];
    }),
  );
}

/** `${NAME:?…}` and `${NAME:-default}` of Compose. */
function fillIn(value: string): string {
  const values: Record<string, string> = {
    LOOKUP_BASE_URL: 'https://listing.example.com/api/v1',
    DOMAIN: 'votes.example.com',
  };
  return value.replace(
    /\$\{(\w+)(?::\?[^}]*|:-([^}]*))?\}/g,
    (_, name: string, otherwise = '') => values[name] ?? otherwise,
  );
}

describe.each([
  ['the Compose file', composeProcesses(compose)],
  ['the Kubernetes manifests', kubernetesProcesses(manifests)],
])('%s', (_, processes) => {
  it('covers every role, and receives with more than one process', () => {
    const covered = processes.flatMap(({ environment }) => environment['TALLYHOOK_ROLES']?.split(',') ?? []);
    expect([...new Set(covered)].toSorted()).toEqual(roles.toSorted());
  });

  it('runs the image of this version', () => {
    expect(new Set(processes.map((process) => process.image))).toEqual(new Set([image]));
  });

  it('sets only settings that exist, each once and to a valid value', () => {
    for (const process of processes) {
      const names = Object.keys(process.environment).map((name) => name.replace(/_FILE$/, ''));
      expect(settingNames, process.name).toEqual(expect.arrayContaining(names));
      expect(() => loadConfig(effectiveSettings(process)), process.name).not.toThrow();
    }
  });

  it('mounts the files that its settings name, and no others', () => {
    for (const { name, environment, secrets } of processes) {
      const named = Object.entries(environment).flatMap(([key, path]) => (key.endsWith('_FILE') ? [path] : []));
      expect(secrets.toSorted(), name).toEqual(named.toSorted());
    }
  });

  it('gives receivers no token of the bot', () => {
    const receivers = processes.filter(({ environment }) => environment['TALLYHOOK_ROLES'] === 'receive');
    expect(receivers.length).toBeGreaterThan(0);
    for (const { environment } of receivers) expect(Object.keys(environment)).not.toContain('DISCORD_TOKEN_FILE');
  });
});

describe('the Compose file', () => {
  const services = Object.entries(compose.services);

  it('has two receivers', () => {
    const receivers = composeProcesses(compose).filter(
      ({ environment }) => environment['TALLYHOOK_ROLES'] === 'receive',
    );
    expect(receivers).toHaveLength(2);
  });

  it('publishes no ports but those of Caddy, and gives database and cache no way to the internet', () => {
    expect(services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['caddy']);
    for (const name of ['postgres', 'valkey']) expect(compose.services[name]?.networks).toEqual(['backend']);
    expect(compose.networks['backend']).toEqual({ internal: true });
  });

  it('checks, restarts and limits every container, and rotates its log', () => {
    for (const [name, { restart, logging, healthcheck }] of services) {
      expect(restart, name).toBe('unless-stopped');
      expect(logging.options, name).toMatchObject({ 'max-size': '10m' });
      expect(healthcheck.test.length, name).toBeGreaterThan(1);
    }
  });

  it('declares the secrets that its services use', () => {
    const used = new Set(services.flatMap(([, { secrets }]) => secrets));
    expect(Object.keys(compose.secrets).toSorted()).toEqual([...used].toSorted());
  });
});

describe('the listing service', () => {
  const processes = Object.entries(compose.services).filter(([, { command }]) => command[0] === 'service');

  it('has two processes in a profile, with valid options and a database of their own', async () => {
    expect(processes.map(([name]) => name)).toEqual(['list-1', 'list-2']);
    for (const [, { image: ownImage, profiles, command, environment, secrets }] of processes) {
      expect(ownImage).toBe(image);
      expect(profiles).toEqual(['service']);
      expect(environment).toEqual({ SERVICE_DATABASE_URL_FILE: `/run/secrets/${secrets[0]}` });
      const file = join(tempDir(), 'url');
      writeFileSync(file, 'sqlite:/dev/null/service.db');
      const { terminal, output } = captive(undefined, { SERVICE_DATABASE_URL_FILE: file });
      // Everything is valid but the database.
      const args = command.slice(1).map((argument) => argument.replace(/\$\{\w+:-(.*)\}/, '$1'));
      expect(await serviceCommand([...args, '--log-level', 'silent'], terminal)).toBe(1);
      expect(output()).toContain('/dev/null/service.db');
    }
  });

  it('is checked at paths that exist, and gets the requests of its host', async () => {
    const { service } = await running();
    const upstreams = processes.map(([name]) => `${name}:4000`).join(' ');
    const [block = ''] = new RegExp(`reverse_proxy ${upstreams} \\{[^}]*\\}`).exec(readCaddyfile()) ?? [];
    const [, readiness] = /health_uri (\S+)/.exec(block) ?? [];
    const [, health] = /127\.0\.0\.1:4000(\/\w+)/.exec(processes[0]?.[1].healthcheck.test.join(' ') ?? '') ?? [];
    for (const path of [readiness, health]) expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  });
});

describe('Caddy', () => {
  it('sends the paths of each role to all processes with that role, and checks their readiness', () => {
    const upstreamsOf = (role: string) =>
      composeProcesses(compose)
        .filter(({ environment }) => environment['TALLYHOOK_ROLES'] === role)
        .map(({ name }) => `${name}:3000`)
        .join(' ');
    const text = readCaddyfile();
    for (const role of ['receive', 'answer']) {
      const [block = ''] = new RegExp(`reverse_proxy ${upstreamsOf(role)} \\{[^}]*\\}`).exec(text) ?? [];
      expect(block, role).toContain(`health_uri /readyz?role=${role}\n`);
    }
    expect(text).toContain(`reverse_proxy ${upstreamsOf('announce')} {\n`);
  });
});

describe('the Kubernetes manifests', () => {
  it('leave each role ready on its own, and restart only what does not respond', () => {
    for (const { environment, probes } of kubernetesProcesses(manifests)) {
      expect(probes).toEqual({
        startup: '/healthz',
        liveness: '/healthz',
        readiness: `/readyz?role=${environment['TALLYHOOK_ROLES']}`,
      });
    }
  });

  it('have a Service and a disruption budget for each Deployment, and routes to them', () => {
    const named = (kind: string) => manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
    const processes = kubernetesProcesses(manifests).map(({ name }) => name);
    expect(named('Service')).toEqual(expect.arrayContaining(processes));
    expect(named('PodDisruptionBudget').toSorted()).toEqual(processes.toSorted());
    const ingress = JSON.stringify(manifests.find(({ kind }) => kind === 'Ingress'));
    for (const name of processes) expect(ingress).toContain(`"name":"${name}"`);
  });

  it('are all in the kustomization, without the secrets', () => {
    const files = [...new Set(readManifests().map(({ file }) => file))];
    const kustomization = readFileSync('deploy/kubernetes/kustomization.yaml', 'utf8');
    const listed = [...kustomization.matchAll(/^ {2}- (\S+\.yaml)$/gm)].map(([, file = '']) => file);
    expect(listed.toSorted()).toEqual(files.filter((file) => file !== 'secrets.example.yaml').toSorted());
  });
});

it('the paths that deployments request exist', async () => {
  const environment = { ...settings(unreachableDiscord), DATABASE_URL: newSqliteUrl() };
  const config = loadConfig({ ...environment, CACHE_URL: 'memory:', ...optionalParts });
  const app = await createApp(config, { clock: systemClock, log: createLog({ level: 'silent', secrets: [] }) });
  onTestFinished(() => app.stop());
  const url = await serve(app.http);
  const ingress = JSON.stringify(manifests.find(({ kind }) => kind === 'Ingress'));
  const routed = [...ingress.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
  const checked = [...readCaddyfile().matchAll(/health_uri (\S+)/g)].map(([, path]) => path);
  const probed = kubernetesProcesses(manifests).flatMap(({ probes }) => Object.values(probes));
  const statusOf = async (path = '') => (await fetch(`${url}${path}`, { redirect: 'manual' })).status;
  // Where pages of communities are, nothing is without the address of one.
  const known = routed.map((path) => (path === '/c' ? '/c/pages.css' : path));
  for (const path of new Set(known)) expect(await statusOf(path), path).not.toBe(404);
  for (const path of new Set([...checked, ...probed])) {
    // The role exists.
    expect([400, 404], path).not.toContain(await statusOf(path));
  }
});
