import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { readTextFile } from '@tallyhook/platform/text-file';
import { checkRaffle } from '../features/raffles/published.ts';

/** Larger than the file of a million members (bytes). */
const maxFileSize = 128 * 1024 * 1024;
const fetchTimeoutMs = 60 * second;

/** Computes a raffle again from its file, and compares all that the file states. */
export async function verifyRaffle(
  { json }: { readonly json?: boolean },
  { print, printError, stop }: Terminal,
  [source = '']: readonly string[],
): Promise<number> {
  const isUrl = /^https?:\/\//i.test(source);
  const text = isUrl
    ? await fetchFile(source, stop).catch((error: unknown) => {
        printError(`${source} could not be read: ${messageOf(error)}.`);
        return null;
      })
    : readTextFile(source, maxFileSize);
  if (text === null) return exitCode.runtimeError;
  const { raffle, problems: found } = checkRaffle(text);
  const addressed = isUrl ? (/\/([0-9a-f]{32})\.json$/.exec(new URL(source).pathname)?.[1] ?? null) : null;
  const isOther = raffle !== null && addressed !== null && addressed !== raffle.id;
  const problems = isOther ? [...found, `id is not that of the address: ${raffle.id}.`] : found;
  const pass = problems.length === 0;
  if (json) {
    const { id = null, period = null, commitment = null, winners = [] } = raffle ?? {};
    print(JSON.stringify({ pass, id, period, commitment, winners, problems }));
  } else if (raffle === null) {
    print(`This is no published raffle:\n${problems.map((each) => `- ${each}`).join('\n')}`);
  } else {
    const { id, period, tickets, winners, commitment, openedAt } = raffle;
    const sum = tickets.reduce((total, each) => total + each.tickets, 0);
    print(`Raffle ${id}, ${period}: ${tickets.length} members with ${sum} tickets`);
    for (const [index, winner] of winners.entries()) print(`${index + 1}. ${winner}`);
    print(
      pass
        ? `Everything follows from the seed and the tickets. Compare with what was announced at ${openedAt}: id ${id}, commitment ${commitment}.`
        : `This raffle does not stand up:\n${problems.map((each) => `- ${each}`).join('\n')}`,
    );
  }
  return pass ? exitCode.ok : exitCode.runtimeError;
}

async function fetchFile(url: string, stop: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.any([stop, AbortSignal.timeout(fetchTimeoutMs)]) });
  if (!response.ok) throw new Error(`the answer is ${response.status} ${(await response.text()).slice(0, 300)}`.trim());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxFileSize) throw new Error('it is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
