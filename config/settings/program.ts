import { expectedKey, parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { logLevels } from '@tallyhook/platform/log';
import { headerSecretForm, hostForm, pasted, portForm } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { roles } from '../roles.ts';
import { digits, group, httpUrl, listOf, setting } from './setting.ts';

/** The text of an encryption key. */
const encryptionKey = z.string().refine((key) => parseEncryptionKey(key) !== null);

/** Shorter owner tokens are accepted with a warning, since they can be guessed (characters). */
export const minOwnerTokenLength = 16;

export const program = group('Process', {
  HOST: setting({
    schema: pasted(hostForm),
    expected: 'an address of this machine, or 0.0.0.0 for all addresses',
    default: '127.0.0.1',
    wish: 'to be reached from other machines',
    description: 'Address on which the program listens. The container sets `0.0.0.0`: leave it out there.',
  }),
  PORT: setting({
    schema: pasted(portForm).pipe(digits(0, 65_535)),
    expected: 'a port number from 0 (any free port) to 65535',
    default: '3000',
    wish: 'another port',
    description: 'Port on which it listens.',
  }),
  TALLYHOOK_ROLES: setting({
    schema: listOf(z.enum(roles)).refine((list) => new Set(list).size === list.length),
    expected: `one or more of ${roles.join(', ')}, separated by commas, each once`,
    default: roles.join(','),
    wish: 'more than one process',
    description:
      'What this process does, see [roles](operations.md#roles). With `receive` alone, token, `LOOKUP_BASE_URL` and API keys are not needed.',
  }),
  PUBLIC_URL: setting({
    schema: httpUrl.refine((url) => !/[?#@]/.test(url)),
    expected: 'the address under which the internet reaches this program: https://votes.example.com',
    wish: 'complete webhook addresses to copy',
    description:
      'The address under which the internet reaches this program, such as `https://votes.example.com`; shown in webhook addresses.',
  }),
});

export const owners = group('Owners', {
  SETTINGS_KEY: setting({
    schema: encryptionKey,
    expected: expectedKey,
    secret: true,
    wish: '`/setup` on PostgreSQL',
    description:
      'Key of the secrets that `/setup` stores: 32 random bytes in hex or Base64 (`openssl rand -hex 32`), the same in every process. With SQLite a key file is created beside the database instead.',
  }),
  NEW_SETTINGS_KEY: setting({
    schema: encryptionKey,
    expected: expectedKey,
    secret: true,
    wish: 'to replace that key',
    description:
      'The next `SETTINGS_KEY` during a rotation, see [Rotating the key](operations.md#rotating-the-key-of-settings).',
  }),
  OWNER_TOKEN: setting({
    schema: pasted(headerSecretForm),
    isFreeText: true,
    expected: `at least ${minOwnerTokenLength} random characters, for example from \`openssl rand -hex 32\``,
    secret: true,
    wish: 'the owner console at `/owner`',
    description: `The operator's token of the [owner console and API](owner.md), at least ${minOwnerTokenLength} random characters. Without it there is no API, and the console is for managers who sign in with Discord.`,
  }),
});

export const log = group('Log and updates', {
  UPDATE_CHECK: setting({
    schema: z.union([z.literal('off').transform(() => null), httpUrl]),
    expected: 'off, or the http(s) URL of a description of the latest release in the form of GitHub',
    default: 'https://api.github.com/repos/tallyhook/tallyhook/releases/latest',
    wish: 'no request to GitHub',
    description:
      'Where `tallyhook doctor` looks whether there is a newer version; `off`: nowhere. Nothing about the installation is sent.',
  }),
  LOG_LEVEL: setting({
    schema: z.enum(logLevels),
    expected: `one of ${logLevels.join(', ')}`,
    default: 'info',
    wish: 'more or fewer lines',
    description: `Minimum level of the log on stdout: ${logLevels.join(', ')}. Secrets are redacted.`,
  }),
  LOG_FORMAT: setting({
    schema: z.enum(['auto', 'json', 'pretty']),
    expected: 'json, pretty, or auto (pretty on a terminal, JSON elsewhere)',
    default: 'auto',
    wish: 'a log to read, or for a program',
    description: '`json` (one object per line), `pretty`, or `auto`: pretty on a terminal, JSON elsewhere.',
  }),
});
