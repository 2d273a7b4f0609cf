/** Messages are constants, so this does not grow. */
const partsByMessage = new Map<string, readonly string[]>();

/** A message in parts: texts at even positions, the names of placeholders at odd ones. */
export function partsOf(message: string): readonly string[] {
  let parts = partsByMessage.get(message);
  if (parts === undefined) {
    parts = message.split(/\{(\w+)\}/);
    partsByMessage.set(message, parts);
  }
  return parts;
}
