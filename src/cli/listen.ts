import { randomBytes } from 'node:crypto';
import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf, rootCauseOf } from '@tallyhook/platform/errors';
import { isObject, objectOf, parseJson, textOf } from '@tallyhook/platform/json';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { createConnections, post } from '@tallyhook/platform/webhooks/post';
import { standardHeaders } from '@tallyhook/platform/webhooks/standard-webhooks';
import { resolveTarget, systemResolve } from '@tallyhook/platform/webhooks/target';
import { endpointSecret } from '../features/events/settings.ts';
import { readSandboxAccess } from '../sandbox/access.ts';

interface ListenOptions {
  readonly url?: string;
  readonly token?: string;
  readonly forward?: string;
  readonly secret?: string;
  readonly replay?: string;
  readonly json?: boolean;
}

/** Pauses before connecting again (ms): the last one from then on. */
const pauses = [second, 2 * second, 5 * second, 10 * second];
const forwardTimeoutMs = 15 * second;

/** Prints events as they happen, and passes them on to a program on this machine. */
export async function listen(options: ListenOptions, { print, printError, stop }: Terminal): Promise<number> {
  const { url, token } = accessOf(options);
  const forward = options.forward === undefined ? null : createForwarding(options.forward, options.secret, printError);
  const stream = new URL(`${url.replace(/\/$/, '')}/owner/api/events`);
  let lastId: string | null = null;
  let failures = 0;
  while (!stop.aborted) {
    if (lastId === null && options.replay !== undefined) stream.searchParams.set('replay', options.replay);
    try {
      const headers = { authorization: `Bearer ${token}`, ...(lastId !== null && { 'last-event-id': lastId }) };
      const response = await fetch(stream, { headers, signal: stop });
      if (response.status === 401 || response.status === 403 || response.status === 400 || response.status === 404) {
        printError(
          textOf(objectOf(parseJson(await response.text()))['error']) || `The API returned ${response.status}.`,
        );
        return exitCode.runtimeError;
      }
      if (!response.ok || response.body === null) throw new Error(`the API returned ${response.status}`);
      printError(`Listening to ${url}. Ctrl-C ends it.`);
      failures = 0;
      for await (const { id, data } of readEvents(response.body)) {
        print(options.json ? data : describe(objectOf(parseJson(data))));
        await forward?.(data);
        lastId = id;
        stream.searchParams.delete('replay');
      }
      if (!stop.aborted) throw new Error('the connection was closed');
    } catch (error) {
      if (stop.aborted) break;
      const pauseMs = pauses[Math.min(failures, pauses.length - 1)] ?? second;
      failures += 1;
      printError(`Not connected: ${rootCauseOf(error)}. Trying again in ${pauseMs / second} s; nothing is lost.`);
      await systemClock.sleep(pauseMs, stop);
    }
  }
  return exitCode.ok;
}

/** Address and token by the options, by the environment, or of a sandbox that runs on this machine. */
function accessOf({ url, token = process.env['OWNER_TOKEN'] }: ListenOptions): {
  readonly url: string;
  readonly token: string;
} {
  const sandbox = url === undefined || token === undefined ? readSandboxAccess() : null;
  const chosen = { url: url ?? sandbox?.url, token: token ?? sandbox?.token };
  if (chosen.url === undefined)
    throw new UsageError(
      'Name the address of tallyhook with --url, such as https://votes.example.org, or start the sandbox in another terminal.',
    );
  if (!isWebAddress(chosen.url)) throw new UsageError('--url must be a URL, such as https://votes.example.org.');
  if (chosen.token === undefined)
    throw new UsageError('Pass a token with --token, or the OWNER_TOKEN in the environment.');
  return { url: chosen.url, token: chosen.token };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The events of a stream: those with an id. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly id: string; readonly data: string }> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => fieldOf(line)));
      const [id, data] = [fields.get('id'), fields.get('data')];
      if (id !== undefined && data !== undefined) yield { id, data };
    }
  }
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const end = line.indexOf(':');
  return [line.slice(0, end), line.slice(end + 1).trimStart()];
}

/** An event in one line: `12:03:04  vote.recorded  80351110224678912  +10  balance 120  harbour`. */
function describe(event: Readonly<Record<string, unknown>>): string {
  const { type, timestamp } = event;
  const data = isObject(event['data']) ? event['data'] : {};
  const { userId, credits, balance, listing, name, votes } = data;
  const parts = [
    textOf(timestamp).slice(11, 19),
    textOf(type).padEnd(17),
    textOf(userId),
    typeof credits === 'number' ? (credits < 0 ? String(credits) : `+${credits}`) : '',
    typeof balance === 'number' ? `balance ${balance}` : '',
    typeof votes === 'number' ? `votes ${votes}` : '',
    textOf(name) || textOf(listing),
  ];
  // A name is text from outside: it must not move the cursor.
  return parts
    .filter((part) => part !== '')
    .join('  ')
    .replaceAll(/\p{Cc}/gu, '');
}

/** Passes an event on as an endpoint would get it. */
function createForwarding(
  address: string,
  given: string | undefined,
  printError: (line: string) => void,
): (body: string) => Promise<void> {
  if (!isWebAddress(address)) throw new UsageError('--forward must be a URL, such as http://127.0.0.1:8000/tallyhook.');
  const [problem] = endpointSecret.optional().safeParse(given).error?.issues ?? [];
  if (problem !== undefined) throw new UsageError(`--secret is invalid: ${problem.message}.`);
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`;
  if (given === undefined) printError(`Events are forwarded, signed with ${secret}`);
  const connections = createConnections();
  return async (body) => {
    const id = textOf(objectOf(objectOf(parseJson(body))['data'])['id']);
    const headers = standardHeaders({ id, body }, [secret], systemClock.now());
    const target = await resolveTarget(new URL(address), systemResolve).catch(messageOf);
    if (typeof target === 'string') return printError(`  not forwarded: ${target}`);
    const { status, error } = await post(target, body, headers, {
      clock: systemClock,
      timeoutMs: forwardTimeoutMs,
      connections,
    });
    printError(`  forwarded: ${status ?? error}`);
  };
}
