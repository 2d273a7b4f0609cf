import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const directory = join(import.meta.dirname, '..', '..', 'deploy');

/** One process of tallyhook, as a deployment describes it. */
export interface DescribedProcess {
  readonly name: string;
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Directories and files that are mounted with secrets. */
  readonly secrets: readonly string[];
}

const environment = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: environment.default({}),
      command: z.array(z.string()).default([]),
      profiles: z.array(z.string()).default([]),
      secrets: z.array(z.string()).default([]),
      ports: z.array(z.string()).default([]),
      healthcheck: z.object({ test: z.array(z.string()) }),
      restart: z.string(),
      logging: z.object({ options: z.record(z.string(), z.string()) }),
      deploy: z.object({ resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string() }) }) }),
      read_only: z.boolean().default(false),
      networks: z.array(z.string()),
    }),
  ),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).nullable()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

export type Compose = z.infer<typeof composeSchema>;

/** The Compose file, with anchors and merges resolved. */
export function readCompose(): Compose {
  const [document] = parseYaml('compose.yaml');
  return composeSchema.parse(document);
}

/** The processes of the bot. */
export function composeProcesses({ services }: Compose): DescribedProcess[] {
  return Object.entries(services).flatMap(([name, { image, command, environment, secrets }]) =>
    image.startsWith('tallyhook:') && command[0] !== 'service'
      ? [{ name, image, environment, secrets: secrets.map((secret) => `/run/secrets/${secret}`) }]
      : [],
  );
}

const manifestSchema = z.looseObject({ kind: z.string(), metadata: z.object({ name: z.string() }).loose() });
const httpGet = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) }).loose();
const deploymentSchema = z.looseObject({
  metadata: z.object({ name: z.string() }).loose(),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
        containers: z.array(
          z.looseObject({
            image: z.string(),
            env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
            startupProbe: httpGet,
            livenessProbe: httpGet,
            readinessProbe: httpGet,
            securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
            volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
          }),
        ),
        volumes: z.array(
          z.looseObject({ name: z.string(), secret: z.looseObject({ secretName: z.string() }).optional() }),
        ),
      }),
    }),
  }),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** All Kubernetes manifests, by their files. */
export function readManifests(): { readonly file: string; readonly manifest: Manifest }[] {
  return readdirSync(join(directory, 'kubernetes'))
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) =>
      parseYaml(`kubernetes/${file}`).map((document) => ({ file, manifest: manifestSchema.parse(document) })),
    );
}

export interface KubernetesProcess extends DescribedProcess {
  readonly probes: { readonly startup: string; readonly liveness: string; readonly readiness: string };
}

/** The Deployments of tallyhook, whose settings are those of the ConfigMap and their own. */
export function kubernetesProcesses(manifests: readonly Manifest[]): KubernetesProcess[] {
  const map = manifests.find(({ kind }) => kind === 'ConfigMap');
  const shared = environment.parse(map?.['data']);
  const secretKeys = new Map(
    manifests
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata, stringData }) => [metadata.name, Object.keys(environment.parse(stringData))]),
  );
  return manifests
    .filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'valkey')
    .map((manifest) => {
      const { metadata, spec } = deploymentSchema.parse(manifest);
      const [container] = spec.template.spec.containers;
      if (container === undefined) throw new Error(`${metadata.name} has no container.`);
      const secrets = spec.template.spec.volumes.flatMap(({ name, secret }) => {
        const mount = container.volumeMounts.find((each) => each.name === name);
        if (secret === undefined || mount === undefined) return [];
        return (secretKeys.get(secret.secretName) ?? []).map((key) => `${mount.mountPath}/${key}`);
      });
      return {
        name: metadata.name,
        image: container.image,
        environment: { ...shared, ...Object.fromEntries(container.env.map(({ name, value }) => [name, value])) },
        secrets,
        probes: {
          startup: container.startupProbe.httpGet.path,
          liveness: container.livenessProbe.httpGet.path,
          readiness: container.readinessProbe.httpGet.path,
        },
      };
    });
}

/** The variables that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const text = readFileSync(join(directory, '..', 'Dockerfile'), 'utf8');
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? [];
  return Object.fromEntries([...block.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}

export function readCaddyfile(): string {
  return readFileSync(join(directory, 'Caddyfile'), 'utf8');
}

function parseYaml(file: string): unknown[] {
  return parseAllDocuments(readFileSync(join(directory, file), 'utf8'), { merge: true }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    return document.toJS() as unknown;
  });
}
