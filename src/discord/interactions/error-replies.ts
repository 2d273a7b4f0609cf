import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { isNotStored, messageOf, type TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { escapeName, type Markup, markup, timestamp } from '@tallyhook/platform/texts/markup';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { Texts } from '../../texts/texts.ts';
import { errorReply, InputError } from '../commands/command.ts';
import type { Reply } from '../commands/reply.ts';
import { type MessageBody, renderReply } from '../rendering/message.ts';

/** When members are asked to retry after an error that does not say when (ms). */
const defaultRetryDelayMs = 30 * second;

/** Error messages that a member gets instead of a reply. */
export function createErrorReplies({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const defaultRetryAt = () => clock.now() + defaultRetryDelayMs;

  function describe(command: string, error: unknown, texts: Texts): Markup {
    if (error instanceof InputError) return error.text;
    if (error instanceof LookupError) {
      log.warn({ command, code: error.code, reason: error.message, hint: error.hint }, 'lookup failed for a command');
      return lookupText(error.code, timestamp(error.retryAt ?? defaultRetryAt(), 'R'), texts);
    }
    if (isNotStored(error)) {
      log.error(
        { command, code: error.code, reason: reasonOf(error), hint: error.hint },
        'a command could not be stored',
      );
      return withRetry(texts.text('failure.notStored'), timestamp(defaultRetryAt(), 'R'), texts);
    }
    const incident = Math.floor(clock.random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0');
    log.error({ command, incident, err: error }, 'command failed');
    return texts.text('failure.incident', { incident: escapeName(incident) });
  }

  return {
    /** For an error of a command, which is logged in detail. */
    ofError: (command: string, error: unknown, texts: Texts) => errorReply(describe(command, error, texts), texts),
    /** For a command that took longer than `timeoutMs`, which is logged. */
    tooLate(command: string, timeoutMs: number, texts: Texts): Reply {
      log.warn({ command, timeoutMs }, 'command timed out');
      return errorReply(withRetry(texts.text('failure.tooLate'), timestamp(defaultRetryAt(), 'R'), texts), texts);
    },
  };
}

/** Failed lookups that trying again does not help. */
const permanent: readonly LookupErrorCode[] = ['lookup_wrong_key_type', 'lookup_bad_request', 'lookup_key_refused'];
/** Failed lookups whose cause is what was asked for. */
const final: readonly LookupErrorCode[] = ['lookup_bad_parameter', 'lookup_not_found'];

/** The text of a failed lookup for members. @param retry when to try again */
export function lookupText(code: LookupErrorCode, retry: Markup, texts: Texts): Markup {
  const problem = texts.text(`failure.lookup.${code}`);
  if (final.includes(code)) return problem;
  return permanent.includes(code)
    ? markup`${problem} ${texts.text('failure.needsOperator')}`
    : withRetry(problem, retry, texts);
}

function withRetry(problem: Markup, time: Markup, { text }: Texts): Markup {
  return markup`${problem} ${text('failure.retryAt', { time })}`;
}

function reasonOf({ message, cause }: TallyhookError): string {
  return cause === undefined ? message : messageOf(cause);
}

/** An error message that no command returned. */
export function errorBody(text: Markup, texts: Texts): MessageBody {
  return renderReply(errorReply(text, texts), '');
}
