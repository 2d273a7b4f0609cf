/** The actions of `/setup` that only show something, so that a link may lead to them. All others change something. */
const reading: readonly string[] = [
  'overview',
  'listing',
  'section',
  'edit',
  'again',
  'entry',
  'item',
  'remove',
  'test',
  'step-channel',
  'step-rewards',
  'key',
  'rotate',
  'unlink',
  'add',
  'link',
  'more',
  'post-panel',
  'history',
  'import',
  'export',
  'check',
];

export function isReading(action: string): boolean {
  return reading.includes(action);
}
