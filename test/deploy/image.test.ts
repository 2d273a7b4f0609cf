import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingNames } from '../../config/settings.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');

describe('the image', () => {
  it('is built from one base, which is pinned by its digest', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)(?: AS ([\w-]+))?$/gm)].map(([, image = '', name]) => ({
      image,
      name,
    }));
    const stages = bases.map(({ name }) => name);
    const foreign = bases.filter(({ image }) => !stages.includes(image));
    expect(foreign).toEqual([
      { image: expect.stringMatching(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/), name: 'base' },
    ]);
  });

  it('says where it comes from, and is not run as root', () => {
    const { repository, license } = JSON.parse(read('package.json'));
    const labels = Object.fromEntries(
      [...dockerfile.matchAll(/org\.opencontainers\.image\.(\S+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(labels).toMatchObject({
      source: repository.url.replace('git+', '').replace('.git', ''),
      licenses: license,
      version: expect.stringMatching(/^\$\{VERSION\}$/),
      revision: expect.stringMatching(/^\$\{REVISION\}$/),
    });
    expect(/^USER (\w+)$/m.exec(dockerfile)?.[1]).toBe('node');
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    // No processor is chosen, so that it can be built for each.
    expect(dockerfile).not.toMatch(/--platform|TARGETARCH/);
  });

  it('has a variant for volumes of root, which ends as the same user and with the same program', () => {
    const variant = read('deploy/root-volume.Dockerfile');
    const [, entrypoint = ''] = /^ENTRYPOINT (.+)$/m.exec(variant) ?? [];
    // The last one is that of the image; the other belongs to the target with the listing service.
    const program = [...dockerfile.matchAll(/^ENTRYPOINT (.+)$/gm)].at(-1)?.[1] ?? '';
    const command = (JSON.parse(entrypoint) as string[])[2];
    expect(command).toContain('setpriv --reuid=node --regid=node --init-groups ');
    expect(command).toContain((JSON.parse(program) as string[]).join(' '));
    expect(/^CMD .+$/m.exec(variant)?.[0]).toBe(/^CMD .+$/m.exec(dockerfile)?.[0]);
  });
});

describe('compose.yaml', () => {
  const { services, configs } = z
    .object({
      configs: z.object({ caddyfile: z.object({ content: z.string() }) }),
      services: z.object({
        caddy: z.looseObject({ profiles: z.tuple([z.literal('https')]), ports: z.array(z.string()) }),
        cloudflared: z.looseObject({ profiles: z.tuple([z.literal('tunnel')]), ports: z.never().optional() }),
        tallyhook: z.looseObject({
          image: z.string(),
          build: z.literal('.'),
          restart: z.literal('unless-stopped'),
          env_file: z.tuple([z.strictObject({ path: z.literal('.env'), required: z.literal(false) })]),
          environment: z.record(z.string(), z.string()),
          ports: z.array(z.string()),
          volumes: z.array(z.string()),
          logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }),
          read_only: z.literal(true),
          tmpfs: z.array(z.string()),
          cap_drop: z.array(z.string()),
          security_opt: z.array(z.string()),
          stop_grace_period: z.string(),
        }),
      }),
    })
    .parse(parse(read('compose.yaml'), { merge: true }));

  it('overrides no setting of .env, and follows its PORT', () => {
    // Its own value first; otherwise the address that the profile `https` has.
    expect(services.tallyhook.environment).toEqual({ PUBLIC_URL: '${PUBLIC_URL:-${DOMAIN:+https://${DOMAIN}}}' });
    expect(services.tallyhook.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:(\$\{PORT:-3000\}):\1$/)]);
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
    const defaults = [...block.matchAll(/(\w+)=/g)].map(([, name = '']) => name).filter((name) => name !== 'NODE_ENV');
    expect(settingNames).toEqual(expect.arrayContaining(defaults));
    expect(read('.env.example')).not.toMatch(new RegExp(`^(?:${defaults.join('|')})=`, 'm'));
  });

  it('runs the published image of this version; where it cannot be pulled, what the Dockerfile beside it builds', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(services.tallyhook.image).toBe(`ghcr.io/tallyhook/tallyhook:${version}`);
    // With another policy than the default, Compose would not build after a failed pull.
    expect(services.tallyhook).not.toHaveProperty('pull_policy');
    expect(existsSync(join(root, services.tallyhook.build, 'Dockerfile'))).toBe(true);
  });

  it('makes the same paths public with Caddy as the guide does, to the port of the program', () => {
    const [, guide = ''] = /```caddyfile\n([^`]*)```/.exec(read('docs/hosting/caddy.md')) ?? [];
    const directives = (text: string) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line && !line.startsWith('#'));
    const filledIn = configs.caddyfile.content
      .replaceAll('${DOMAIN:-localhost}', 'votes.example.com')
      .replaceAll('tallyhook:${PORT:-3000}', '127.0.0.1:3000');
    expect(directives(filledIn)).toEqual(directives(guide));
    expect(services.caddy.ports).toEqual(['80:80', '443:443', '443:443/udp']);
  });

  it('rotates the log and stores the data in a volume', () => {
    expect(services.tallyhook.logging.options).toMatchObject({ 'max-size': '10m', 'max-file': '5' });
    expect(services.tallyhook.volumes).toEqual(['data:/data']);
  });
});
