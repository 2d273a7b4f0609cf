import { isIP } from 'node:net';
import { z } from 'zod';

/*
 * Forms of values that people paste into settings. Each takes away what certainly does not belong to a value, and says
 * what is wrong with the rest. No message has anything of the value: it may be a secret in the wrong place.
 */

export interface PastedForm {
  clean(text: string): string;
  /** The problem of a cleaned value: completes "… is invalid: ". Null if there is none, empty if it has no words. */
  problem(text: string): string | null;
}

/**
 * The schema of a form.
 * @param expected what is wrong with anything but a text, see zod
 * @param params what the issues of the form carry
 */
export function pasted(
  { clean, problem }: PastedForm,
  expected?: Parameters<typeof z.string>[0],
  params?: Readonly<Record<string, unknown>>,
) {
  return z
    .string(expected)
    .overwrite(clean)
    .superRefine((text, context) => {
      const found = problem(text);
      if (found !== null) context.addIssue({ code: 'custom', message: found || 'something else', params });
    });
}

/** Invisible characters in text copied from a page: zero-width characters, marks of direction, soft hyphens. */
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;
const quotePairs = ['""', "''", '``', '“”', '„“', '‘’', '«»'];

function isQuoted(text: string): boolean {
  return text.length >= 2 && quotePairs.includes(`${text[0]}${text.at(-1)}`);
}

/**
 * A text without blanks and quotation marks around it, and without invisible characters: for what can contain neither.
 */
export function unwrap(text: string): string {
  let bare = text.replace(invisible, '').trim();
  while (isQuoted(bare)) bare = bare.slice(1, -1).trim();
  return bare;
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
export const beyondAscii = 'it has a character beyond ASCII, which a header cannot carry';
const isAddress = (text: string) => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/** Blanks, of zero width as well. An expression for those at the end would take steps in proportion to the square of the text. */
const blank = /[\s\u200B\u2060\uFEFF]/;

function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text.charAt(start))) start += 1;
  while (end > start && blank.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** A secret of any text, whose blanks and quotation marks at the ends are mistakes. */
export const secretForm: PastedForm = {
  clean: trimBlanks,
  problem(text) {
    if (text === '') return 'it must not be empty';
    if (isQuoted(text)) return 'it is in quotation marks: remove them';
    if (/^https?:\/\//i.test(text)) return 'it is an address, not a secret';
    if (/\p{Cc}/u.test(text)) return 'it has a line break or another control character';
    return /[\u00AD\u200B\u2060\uFEFF]/.test(text) ? 'it has an invisible character: type it, or copy it again' : null;
  },
};

/** The form of a pasted secret that is sent in a header. */
export const headerSecretForm: PastedForm = {
  clean: (text) => secretForm.clean(text).replace(/^authorization:\s*/i, ''),
  problem: (text) => secretForm.problem(text) ?? (isAscii(text) ? null : beyondAscii),
};

/** The key of an API. */
export const apiKeyForm: PastedForm = {
  clean: (text) => unwrap(text).replace(/^Bearer\s+/i, ''),
  problem(text) {
    if (isAddress(text)) return 'it is an address, not an API key';
    if (!isAscii(text)) return beyondAscii;
    return /^[\x21-\x7e]+$/.test(text) ? null : 'it must be an API key, without spaces';
  },
};

/** A bot token of any Discord, also of a local one. */
export const botTokenForm: PastedForm = {
  clean: (text) =>
    unwrap(unwrap(text).replace(/^((DISCORD_|BOT_)?TOKEN\s*[=:])?\s*/i, '')).replace(/^(Bot|Bearer)\s+/i, ''),
  problem(text) {
    if (text === '') return 'it must not be empty';
    if (/^[0-9a-f]{64}$/i.test(text)) return "it has the form of the application's public key";
    if (/^\d{15,20}$/.test(text)) return 'it is an id, such as that of the application';
    if (/^[\w-]{32}$/.test(text)) return 'it has the form of the client secret (OAuth2)';
    if (isAddress(text)) return 'it is an address';
    if (/\s/.test(text)) return 'it has a blank or a line break: copy the token alone';
    return /^[\x21-\x7e]+$/.test(text) ? null : 'it has a character that no token has: copy it again';
  },
};

/** The problem of a bot token, or null. At discord.com, it has the bot's id, a time and a signature between dots. */
export function tokenProblem(token: string, apiUrl: string): string | null {
  const host = URL.parse(apiUrl)?.hostname ?? '';
  const problem = botTokenForm.problem(token);
  if (problem !== null || !/(^|\.)discord(app)?\.com$/.test(host)) return problem;
  const [id = '', time = '', signature = '', ...others] = token.split('.');
  const isToken =
    others.length === 0 &&
    /^\d{15,20}$/.test(Buffer.from(id, 'base64url').toString()) &&
    /^[\w-]{5,}$/.test(time) &&
    /^[\w-]{20,}$/.test(signature);
  return isToken ? null : 'it is not a bot token, which has three parts with dots between them';
}

/** The client secret of an application. */
export const clientSecretForm: PastedForm = {
  clean: unwrap,
  problem(text) {
    if (text === '') return 'it must not be empty';
    if (/^[0-9a-f]{64}$/i.test(text)) return "it has the form of the application's public key";
    if (/^\d{15,20}$/.test(text)) return 'it is an id, such as that of the application';
    if (/^[\w-]{18,}\.[\w-]{5,}\.[\w-]{20,}$/.test(text)) return 'it has the form of a bot token';
    return /^[\x21-\x7e]+$/.test(text) ? null : 'it has a blank, or a character beyond ASCII';
  },
};

const idKinds = {
  any: { mention: /^<@!?(\d+)>$/, address: null },
  server: {
    mention: null,
    address: /^(?:https?:\/\/)?(?:[\w-]+\.)?discord(?:app)?\.com\/channels\/(\d+)(?:\/\d+){0,2}\/?$/i,
  },
  channel: {
    mention: /^<#(\d+)>$/,
    address: /^(?:https?:\/\/)?(?:[\w-]+\.)?discord(?:app)?\.com\/channels\/\d+\/(\d+)(?:\/\d+)?\/?$/i,
  },
  role: { mention: /^<@&(\d+)>$/, address: null },
} as const;

const expectedId = 'it must be a Discord id: a string of digits';
const maxSnowflake = 2n ** 64n - 1n;

/** A Discord ID. Mentions and addresses of the same kind are read; of others it is not known what was meant. */
export function idForm(kind: keyof typeof idKinds): PastedForm {
  const { mention, address } = idKinds[kind];
  return {
    clean(text) {
      const bare = unwrap(text).replace(/[,;]$/, '');
      return mention?.exec(bare)?.[1] ?? address?.exec(bare)?.[1] ?? bare;
    },
    problem(text) {
      if (/^<[#@]/.test(text)) return `${expectedId}, not a mention of something else`;
      if (isAddress(text) || /^discord\.gg\//i.test(text)) return `${expectedId}, not an address`;
      if (!/^\d{1,20}$/.test(text)) return expectedId;
      return /^0/.test(text) || BigInt(text) > maxSnowflake ? `${expectedId}, and this is the id of nothing` : null;
    },
  };
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[\p{L}\d_](?:[\p{L}\d._-]*[\p{L}\d_])?)(:\d{1,5})?(?=[/?#]|$)/iu;

/** Hosts of a local network, which seldom have certificates: numbers, and names without a dot. */
function isLocalHost(host: string): boolean {
  return host.startsWith('[') || !host.includes('.') || /^\d{1,3}(\.\d{1,3}){3}$|\.(local|internal|lan)$/i.test(host);
}

/** An http(s) address. Without a scheme it is certain for a local host and for a name without a port alone. */
export const httpUrlForm: PastedForm = {
  clean(text) {
    const bare = unwrap(text)
      .replace(/^<(.*)>$/, '$1')
      .replace(/[,;]$/, '');
    if (isAddress(bare)) return bare;
    const withoutSlashes = bare.replace(/^\/\//, '');
    const [, host, port] = hostPattern.exec(withoutSlashes) ?? [];
    if (host === undefined) return bare;
    if (isLocalHost(host)) return `http://${withoutSlashes}`;
    return port === undefined || port === ':443' ? `https://${withoutSlashes}` : bare;
  },
  problem(text) {
    if (!isAddress(text)) return 'it must be a URL that begins with http:// or https://';
    if (!/^https?:\/\//i.test(text)) return 'it must be an http(s) URL';
    if (isPasswordCut(text)) return passwordNotEncoded;
    return !/\s/.test(text) && URL.canParse(text) ? null : 'it is not a URL';
  },
};

/** An address on which a server listens. */
export const hostForm: PastedForm = {
  clean: (text) =>
    unwrap(text)
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '')
      .replace(/^\[([0-9a-f:.]+)\]$/i, '$1'),
  problem(text) {
    if (isIP(text.replace(/%[\w.-]+$/, '')) !== 0) return null;
    if (text === '*') return 'it must be 0.0.0.0 for all addresses';
    if (/^(\[.*\]|[^:]*):\d+$/.test(text)) return 'it must not contain a port, which is a setting of its own';
    const isName = /^(?!.*\.\.)[a-z\d](?:[a-z\d._-]{0,251}[a-z\d])?$/i.test(text) && !/^\d+(\.\d+)+$/.test(text);
    return isName ? null : 'it must be a name or an IP address';
  },
};

/** A port. */
export const portForm: PastedForm = {
  clean: (text) => unwrap(text).replace(/^:(?=\d)|\/(tcp|udp)$/gi, ''),
  problem: (text) => (/^\d{1,5}$/.test(text) ? null : 'it must be the number alone'),
};

const passwordNotEncoded =
  'it has a user or password with a character that must be percent-encoded (@ is %40, / is %2F, # is %23, ? is %3F, : is ' +
  '%3A, % is %25)';

/** Parameters whose values may contain an @. */
const textParameter = /(^|&)(user|password|options|application_name|sslpassword)=[^&]*/g;

/**
 * True if a character of the password ends the part of the URL that names the server, so that the rest of the password
 * would be taken for a host, a path or a parameter.
 */
function isPasswordCut(url: string): boolean {
  const rest = url.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const end = rest.search(/[/?#]/);
  const [path = '', query = ''] = end === -1 ? [] : rest.slice(end).split(/\?(.*)/s);
  return path.includes('@') || query.replaceAll(textParameter, '').includes('@');
}

/** The URL of a database or cache: of a server, or `sqlite:` and a path. @param schemes of servers */
export function databaseUrlForm(schemes: readonly string[]): PastedForm {
  return {
    // As a console of PostgreSQL shows it: psql 'postgresql://…'.
    clean: (text) => unwrap(unwrap(text).replace(/^psql\s+/, '')),
    problem(text) {
      if (text === 'memory:' || /^sqlite:(?!\/\/)./.test(text)) return null;
      const [scheme = '', ...rest] = text.split('://');
      if (rest.length === 0 || !schemes.includes(scheme)) return '';
      const url = `x://${rest.join('://')}`;
      const isDecodable = !/%(?![0-9a-f]{2})/i.test(url);
      if (!isDecodable || url.includes('#') || isPasswordCut(url)) return passwordNotEncoded;
      // An empty host is a socket, which a parameter names.
      return /\s/.test(url) || !URL.canParse(url.replace('@/', '@host/')) ? 'it is not a URL of a server' : null;
    },
  };
}
