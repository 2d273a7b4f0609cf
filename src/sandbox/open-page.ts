import { spawn } from 'node:child_process';

interface BrowserContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether a person reads what is printed. */
  readonly isTerminal: boolean;
}

/** Whether somebody is there to look at a page: a terminal and a display, and no machine that builds or tests. */
export function canOpenBrowser({ environment, platform, isTerminal }: BrowserContext): boolean {
  if (!isTerminal || isSet(environment['CI'])) return false;
  // Over ssh the browser would open on a machine at which nobody sits.
  if (isSet(environment['SSH_CONNECTION'])) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return isSet(environment['DISPLAY']) || isSet(environment['WAYLAND_DISPLAY']);
}

/** Opens the page in the browser of whoever sits there. Where that does not work the printed address has to do. */
export function openPage(url: string, platform: NodeJS.Platform): void {
  const [program, args] = openCommand(platform, url);
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function openCommand(platform: NodeJS.Platform, url: string): [program: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['cmd', ['/c', 'start', '', url]];
  return ['xdg-open', [url]];
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
