import { LookupError } from '../../lookup/lookup-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { isNotStored, messageOf, type TallyhookError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { escapeName, type Markup, timestamp } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import { InputError } from '../commands/input-error.ts';
import type { Reply } from '../commands/reply.ts';
import { type MessageBody, renderReply } from '../rendering/message.ts';

/** When members are asked to retry after an error that does not say when (ms). */
const defaultRetryDelayMs = 30 * second;

/** What a member gets instead of a reply. */
export function createErrorReplies({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const defaultRetryAt = () => clock.now() + defaultRetryDelayMs;

  function describe(command: string, error: unknown, texts: Texts): Markup {
    if (error instanceof InputError) return error.text;
    if (error instanceof LookupError) {
      log.warn({ command, code: error.code, reason: error.message, hint: error.hint }, 'lookup failed for a command');
      return texts.failure.lookup(error.code, timestamp(error.retryAt ?? defaultRetryAt(), 'R'));
    }
    if (isNotStored(error)) {
      log.error(
        { command, code: error.code, reason: reasonOf(error), hint: error.hint },
        'a command could not be stored',
      );
      return texts.failure.notStored(timestamp(defaultRetryAt(), 'R'));
    }
    const incident = Math.floor(clock.random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0');
    log.error({ command, incident, err: error }, 'command failed');
    return texts.failure.incident(escapeName(incident));
  }

  return {
    /** For an error of a command, which is logged in detail. */
    ofError: (command: string, error: unknown, texts: Texts) => errorReply(describe(command, error, texts), texts),
    /** For a command that took longer than `timeoutMs`, which is logged. */
    tooLate(command: string, timeoutMs: number, texts: Texts): Reply {
      log.warn({ command, timeoutMs }, 'command timed out');
      return errorReply(texts.failure.tooLate(timestamp(defaultRetryAt(), 'R')), texts);
    },
  };
}

function reasonOf({ message, cause }: TallyhookError): string {
  return cause === undefined ? message : messageOf(cause);
}

export function errorReply(text: Markup, texts: Texts): Reply {
  return { tone: 'bad', title: texts.failure.title, text };
}

/** An error message that no command returned. */
export function errorBody(text: Markup, texts: Texts): MessageBody {
  return renderReply(errorReply(text, texts), '');
}
