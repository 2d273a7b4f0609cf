import type { Log } from './log.ts';
import { createRedactor, markRedacting, type Redactor, redactorOf } from './redactor.ts';

/**
 * Any logger with these methods: `console`, or one of winston, pino or {@link createLog}. Each line has a message and, if
 * there are any, fields: `hint`, `err` (an error), `reason`. pino gets them as pino expects them, with the fields first.
 * Secrets are removed before the logger is called, and what it throws is ignored.
 * @category Start here
 */
export interface Logger {
  debug(message: string, fields?: object): unknown;
  info(message: string, fields?: object): unknown;
  warn(message: string, fields?: object): unknown;
  error(message: string, fields?: object): unknown;
}

/** Every logger of pino has it, also a child, and whichever copy of pino created it. */
const pinoMark = Symbol.for('pino.serializers');
/** Deeper parts of fields are left out, which also ends cycles. */
const maxDepth = 6;

/** Logs nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The log of the program for a logger of the caller, and what hides secrets in its lines, to which others can be added
 * later. A logger that was adapted before, or of `createLog`, is returned as it is.
 */
export function adaptLogger(logger: Logger, secrets: readonly string[] = []): { log: Log; redact: Redactor } {
  const own = redactorOf(logger);
  if (own !== undefined) {
    own.add(secrets);
    return { log: logger as Logger & Log, redact: own };
  }
  const redact = createRedactor(secrets);
  const isPino = pinoMark in logger;
  const log = fromEach((level): Log['debug'] => (first: object | string, message?: string) => {
    const text = redact(typeof first === 'string' ? first : (message ?? ''));
    const fields = typeof first === 'string' ? [] : [redacted(first, redact)];
    call(logger, level, isPino ? [...fields, text] : [text, ...fields]);
  });
  return { log: markRedacting(log, redact), redact };
}

function fromEach(methodOf: (level: keyof Logger) => Log['debug']): Log {
  return { debug: methodOf('debug'), info: methodOf('info'), warn: methodOf('warn'), error: methodOf('error') };
}

/** A logger that fails must not end what is logged. */
function call(logger: object, level: keyof Logger, args: readonly unknown[]): void {
  try {
    const result: unknown = Reflect.apply(Reflect.get(logger, level), logger, args);
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // There is nowhere to report it.
  }
}

/** A copy of fields without secrets. An error stays one, with its stack. */
function redacted(value: unknown, redact: Redactor, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '…';
  const part = (each: unknown) => redacted(each, redact, depth + 1);
  if (Array.isArray(value)) return value.map(part);
  if ('toJSON' in value && typeof value.toJSON === 'function') return part(value.toJSON());
  const names = value instanceof Error ? Object.getOwnPropertyNames(value) : Object.keys(value);
  const entries = names.map((name) => [redact(name), part(Reflect.get(value, name))] as const);
  const copy: object = value instanceof Error ? Object.create(Object.getPrototypeOf(value)) : {};
  return Object.defineProperties(
    copy,
    Object.fromEntries(entries.map(([name, each]) => [name, { value: each, enumerable: true }])),
  );
}
