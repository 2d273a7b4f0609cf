/** Whether the header `Content-Encoding` names an encoding, so that the signature cannot cover the received bytes. */
export function isEncoded(contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  return encoding !== '' && encoding !== 'identity';
}
