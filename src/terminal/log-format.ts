/** `auto` is for people on a terminal, and JSON elsewhere. */
export function resolveLogFormat(
  format: 'auto' | 'json' | 'pretty',
  isTerminal = process.stdout.isTTY === true,
): 'json' | 'pretty' {
  if (format !== 'auto') return format;
  return isTerminal ? 'pretty' : 'json';
}
