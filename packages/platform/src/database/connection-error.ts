import { codeOf, messageOf } from '../errors.ts';
import { hostForm } from '../pasted-forms.ts';

/**
 * The message of an error of a connection to a database server. Errors of the network name the host that the driver has
 * read out of the URL, which is a piece of the password if that is not encoded: they are returned with the host of the
 * URL alone, or without any.
 */
export function describeConnectionError(error: unknown, url: string): string {
  // Of several addresses of a host.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = codeOf(cause);
  const { hostname = '', port = '', password = '' } = URL.parse(url) ?? {};
  if (cause instanceof Error && 'syscall' in cause && code !== undefined) {
    const host = hostname !== '' && hostForm.problem(hostForm.clean(hostname)) === null ? hostname : '';
    const server = host === '' ? '' : ` ${host}${port === '' ? '' : `:${port}`}`;
    return `${String(cause.syscall)} ${code}${server}`;
  }
  const secrets = [password, decode(password)].filter((secret) => secret !== '');
  const message = messageOf(cause) || String(cause);
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), message);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
