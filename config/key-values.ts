/** Parses `name=value,name=value` with percent-encoded values, as OpenTelemetry does. Null if it is malformed. */
export function parseKeyValues(text: string): Record<string, string> | null {
  const pairs = text.split(',').map((pair) => pair.trim());
  const parsed = pairs.filter((pair) => pair !== '').map(parsePair);
  return parsed.includes(null) ? null : Object.fromEntries(parsed.filter((pair) => pair !== null));
}

function parsePair(pair: string): readonly [name: string, value: string] | null {
  const separator = pair.indexOf('=');
  if (separator < 1) return null;
  try {
    return [pair.slice(0, separator).trim(), decodeURIComponent(pair.slice(separator + 1).trim())];
  } catch {
    return null;
  }
}
