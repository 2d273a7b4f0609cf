import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { minute, second } from '@tallyhook/platform/durations';
import { serve } from '@tallyhook/platform/testing/serve';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listingsFile } from '../../config/listings-file.ts';
import { runCommand } from '../support/command-line.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { startProgram } from '../support/start-program.ts';
import { root } from './sample.ts';

const page = readFileSync(join(root, 'docs/any-language.md'), 'utf8');
const folder = join(root, 'examples/any-language');
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const content = JSON.stringify({ type: 'vote.recorded', data: { userId: '80351110224678912', name: 'Ayşe 🎉' } });

interface Webhook {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  /** Base64. */
  readonly body: string;
}

/** A webhook as the specification of Standard Webhooks says. */
function signed({ key = secret, at = Date.now(), body = content, id = 'msg_1' } = {}): Webhook {
  const timestamp = String(Math.floor(at / second));
  const hmac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
  const signature = `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return { secret, id, timestamp, signatures: signature, body: Buffer.from(body).toString('base64') };
}

/** Programs that print whether each of the webhooks on stdin is genuine, as a JSON list. */
const languages = {
  python: {
    command: ['python3', 'main.py'],
    file: 'verify.py',
    main: `import base64, json, sys
from verify import verify
print(json.dumps([verify(each["secret"], each["id"], each["timestamp"], each["signatures"], base64.b64decode(each["body"])) for each in json.load(sys.stdin)]))`,
  },
  go: {
    command: ['go', 'run', 'verify.go', 'main.go'],
    file: 'verify.go',
    main: `package main

import (
	"encoding/json"
	"os"
)

type webhook struct {
	Secret, Id, Timestamp, Signatures string
	Body                              []byte
}

func main() {
	var webhooks []webhook
	if err := json.NewDecoder(os.Stdin).Decode(&webhooks); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, each := range webhooks {
		results = append(results, verify(each.Secret, each.Id, each.Timestamp, each.Signatures, each.Body))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}`,
  },
  ruby: {
    command: ['ruby', 'main.rb'],
    file: 'verify.rb',
    main: `require "json"
require_relative "verify"
puts JSON.parse(STDIN.read).map { |each| verify(*each.values_at("secret", "id", "timestamp", "signatures"), each["body"].unpack1("m0")) }.to_json`,
  },
  php: {
    command: ['php', 'main.php'],
    file: 'verify.php',
    main: `<?php
require 'verify.php';
echo json_encode(array_map(
    fn($each) => verify($each->secret, $each->id, $each->timestamp, $each->signatures, base64_decode($each->body)),
    json_decode(file_get_contents('php://stdin'))
));`,
  },
  node: {
    command: [process.execPath, 'main.mjs'],
    file: 'verify.mjs',
    main: `import { text } from 'node:stream/consumers';
import { verify } from './verify.mjs';
const webhooks = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(webhooks.map((each) => verify(each.secret, each.id, each.timestamp, each.signatures, Buffer.from(each.body, 'base64')))));`,
  },
};

const genuine = signed();
const cases: readonly (readonly [what: string, isGenuine: boolean, webhook: Webhook])[] = [
  ['signed with the secret', true, genuine],
  ['with a further signature before', true, { ...genuine, signatures: `v1,${'A'.repeat(43)}= ${genuine.signatures}` }],
  ['signed with another secret', false, signed({ key: `whsec_${randomBytes(32).toString('base64')}` })],
  ['with another body', false, { ...genuine, body: Buffer.from(content.replace('8', '9')).toString('base64') }],
  ['with another id', false, { ...genuine, id: 'msg_2' }],
  ['signed ten minutes ago', false, signed({ at: Date.now() - 10 * minute })],
  ['signed for in ten minutes', false, signed({ at: Date.now() + 10 * minute })],
  ['without a signature', false, { ...genuine, signatures: '' }],
  ['with a signature that is not ASCII', false, { ...genuine, signatures: 'v1,é' }],
  ['for an empty secret', false, { ...signed({ key: 'whsec_' }), secret: 'whsec_' }],
];

/** The languages are many, and their compilers large: what is not installed is not tested, also in .ci/run. */
const isInstalled = (program = '') => !spawnSync(program, ['--version']).error;

function run([program = '', ...args]: readonly string[], cwd: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, timeout: 2 * minute }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}

const installed = Object.entries(languages).filter(([, { command }]) => isInstalled(command[0]));

describe.each(installed)('the verification in %s', (_, { command, file, main }) => {
  it('accepts what is genuine and new, and nothing else', async () => {
    const directory = tempDir();
    cpSync(join(folder, file), join(directory, file));
    writeFileSync(join(directory, command.at(-1) ?? ''), main);
    const results: unknown = JSON.parse(
      await run(command, directory, JSON.stringify(cases.map(([, , webhook]) => webhook))),
    );
    expect(cases.map(([what], index) => [what, (results as unknown[])[index]])).toEqual(
      cases.map(([what, isGenuine]) => [what, isGenuine]),
    );
  });
});

describe.each(installed.filter(([language]) => language === 'python'))('the receiver in %s', () => {
  it('handles each event once, and rejects what is not genuine', async () => {
    const { port, output } = await startReceiver();
    const send = async ({ id, timestamp, signatures, body }: Webhook) => {
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
      const options = { method: 'POST', headers, body: Buffer.from(body, 'base64') };
      return (await fetch(`http://127.0.0.1:${port}/`, options)).status;
    };
    const startsWith = { ...genuine, id: 'msg_0' };
    await expect.poll(() => send(startsWith).catch(() => null), { timeout: 30_000 }).toBe(401);
    expect(await send(genuine)).toBe(204);
    expect(await send(genuine)).toBe(204);
    // The next attempt is signed with its own time.
    expect(await send(signed({ at: Date.now() - second }))).toBe(204);
    expect(await send(signed({ id: 'msg_2' }))).toBe(204);
    await expect.poll(output).toBe('80351110224678912 has voted\n'.repeat(2));
  });

  it('prints a vote once beside a program that only receives, although it is delivered twice', async () => {
    const { port, output } = await startReceiver();
    const requests: (string | undefined)[] = [];
    /** The first answer of the receiver is lost on its way. */
    const passOn = async (request: IncomingMessage, response: ServerResponse) => {
      const headers = new Headers(
        Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-')) as [string, string][],
      );
      const { status } = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers,
        body: await text(request),
      });
      requests.push(`${headers.get('webhook-id')} ${status}`);
      if (requests.length === 1) request.socket.destroy();
      else response.writeHead(status).end();
    };
    const between = await serve((request, response) => void passOn(request, response));
    const directory = tempDir();
    const file = join(directory, 'listings.json');
    const votes = 'whs_0123456789abcdef0123';
    writeFileSync(file, listingsOfPage().replace('whs_…', votes), { mode: 0o600 });
    const program = startProgram(
      ['start'],
      {
        ...{ TALLYHOOK_CONFIG: file, TALLYHOOK_ROLES: 'receive', PORT: '0', DATABASE_URL: newSqliteUrl() },
        ...{ WEBHOOK_URL: between, WEBHOOK_PRIVATE_TARGETS: 'on', WEBHOOK_SECRET: secret },
        WEBHOOK_EVENTS: 'vote.recorded,milestone.reached',
      },
      directory,
    );
    const address = `${await program.url()}/webhooks/my-bot`;
    const args = [
      '--site',
      'topgg',
      '--secret',
      votes,
      '--user',
      '80351110224678912',
      '--listing',
      '716390085896962058',
    ];
    const sent = await runCommand(['send', 'bot-vote', '--to', address, ...args]);
    expect(sent.output).toContain('recorded');
    await expect.poll(() => requests.length, { timeout: 30_000 }).toBe(2);
    expect(requests).toEqual([requests[0], requests[0]]);
    expect(requests[0]).toMatch(/^msg_[0-9a-f]{32} 204$/);
    await expect.poll(output).toBe('80351110224678912 has voted\n');
  });
});

it('the page shows these programs as they are, and listings that are valid', () => {
  for (const { file } of [...Object.values(languages), { file: 'receiver.py' }])
    expect(page, file).toContain(`\n${readFileSync(join(folder, file), 'utf8')}\`\`\`\n`);
  expect(listingsFile.parse(JSON.parse(listingsOfPage())).listings).toHaveLength(1);
});

function listingsOfPage(): string {
  const [, listings = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  return listings;
}

/** Starts receiver.py. */
async function startReceiver() {
  const port = await freePort();
  const environment = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, HOST: '127.0.0.1', PORT: String(port) };
  const child = spawn('python3', ['receiver.py'], {
    cwd: folder,
    env: { ...environment, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return { port, output: () => output };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
