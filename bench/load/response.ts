/** The total length of the response that starts here (bytes), or null if it is not known yet. */
export function responseLength(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const bodyStart = headEnd + 4;
  const head = text.slice(0, headEnd).toLowerCase();
  if (head.includes('transfer-encoding: chunked')) {
    const end = text.indexOf('0\r\n\r\n', bodyStart);
    return end === -1 ? null : end + 5;
  }
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
  return bodyStart + Number(length);
}
