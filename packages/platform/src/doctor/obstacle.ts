import type { HttpProbeResult } from './http-probe.ts';

/** An obstacle to requests by its name, such as a proxy or a challenge that answers in the place of a program. */
export interface Obstacle {
  /** A sentence that begins with the address. */
  readonly problem: string;
  readonly hint: string;
}

type Answer = Extract<HttpProbeResult, { readonly status: number }>;

/** The request that was sent. */
interface Asked {
  /** The URL of the request. */
  readonly url: string;
  /** The route that should be forwarded, such as `POST /webhooks/vote`. */
  readonly route: string;
  readonly program: string;
}

/**
 * Names what has answered a request, or why nothing has, if it is not the program itself: a challenge, a login page, a
 * redirect, a proxy, another program, or an error of TLS or the network.
 */
export function findObstacle(result: HttpProbeResult, asked: Asked): Obstacle {
  if (result.status === null) return findFailure(result.reason, asked);
  const found = findChallenge(result, asked) ?? findTunnel(result, asked) ?? findLogin(result, asked);
  if (found !== null) return found;
  if (result.status >= 300 && result.status < 400) return findRedirect(result, asked);
  return findProgram(result, asked);
}

/** Headers by which firewalls mark what they answer themselves; the value is matched as well if there is one. */
const challengeHeaders: readonly (readonly [header: string, value: RegExp, name: string, hint: string])[] = [
  [
    'cf-mitigated',
    /./,
    'Cloudflare',
    'In Cloudflare, Security → WAF: add a custom rule with the action Skip for this path, and switch off Bot Fight Mode and "Under Attack".',
  ],
  ['x-vercel-mitigated', /./, "Vercel's firewall", 'Add a bypass rule for this path in its firewall.'],
  ['x-amzn-waf-action', /./, 'AWS WAF', 'Add a rule that allows this path before the one that challenges.'],
  ['x-sucuri-block', /./, 'Sucuri', 'Allow this path in its access control.'],
  ['server', /^ddos-guard/i, 'DDoS-Guard', 'Allow this path in its settings.'],
];
const challengeText =
  /just a moment|attention required|checking your browser|verify(?:ing)? you are (?:a )?human|enable javascript and cookies|are you a robot|captcha/i;
const challengeHint = 'Exempt this path from it: a sender is a program, and cannot solve it.';

function findChallenge({ status, headers, body }: Answer, { url }: Asked): Obstacle | null {
  for (const [header, value, name, hint] of challengeHeaders) {
    const sent = headers.get(header);
    if (sent === null || !value.test(sent) || (header === 'server' && status < 400)) continue;
    const kind = header === 'server' ? '' : ` (${header}: ${sent})`;
    return { problem: `${url} is answered by ${name} with a challenge or block${kind}, not by a program.`, hint };
  }
  if (!isPage(headers) || !challengeText.test(body)) return null;
  return { problem: `${url} is answered with a page that wants to see a human (${status}).`, hint: challengeHint };
}

function findTunnel({ status, headers, body }: Answer, { url, program }: Asked): Obstacle | null {
  const ngrok = headers.get('ngrok-error-code');
  if (ngrok !== null) {
    const hint = 'Start the tunnel to the PORT again, and enter its present address.';
    return { problem: `${url} leads to ngrok, which reports ${ngrok}.`, hint };
  }
  const isCloudflare = headers.get('server') === 'cloudflare';
  if (isCloudflare && (status === 530 || /error code:? 1033|cloudflare tunnel error/i.test(body))) {
    const hint = 'Start cloudflared, or correct the hostname of the tunnel.';
    return { problem: `${url} leads to a Cloudflare tunnel that is not connected (${status}).`, hint };
  }
  if (isCloudflare && status >= 520 && status <= 527) {
    const isTls = status === 525 || status === 526;
    const reason = isTls ? 'does not trust the certificate of your server' : 'does not reach your server';
    const hint = isTls
      ? 'In Cloudflare, SSL/TLS: choose the mode that fits your server, or install an origin certificate.'
      : `Check that ${program} runs, and that the firewall lets Cloudflare in.`;
    return { problem: `${url} leads to Cloudflare, which ${reason} (${status}).`, hint };
  }
  return null;
}

const loginPath =
  /log-?in|sign-?in|\/sso|oauth|authoriz|\/auth(?:\/|\?|$)|cdn-cgi\/access|cloudflareaccess|outpost\.goauthentik/i;
const loginHint = 'Exempt this path from the login: a sender cannot sign in, and every delivery is signed.';

function findLogin({ status, headers, body }: Answer, { url }: Asked): Obstacle | null {
  const target = headers.get('location');
  if (status >= 300 && status < 400 && target !== null && loginPath.test(target))
    return { problem: `${url} redirects to a login page, ${target} (${status}).`, hint: loginHint };
  const scheme = headers.get('www-authenticate');
  if (status === 401 && scheme !== null)
    return {
      problem: `${url} asks for a password (${scheme.split(' ', 1)[0]}), not the program behind it.`,
      hint: loginHint,
    };
  if (status === 407) return { problem: `${url} is behind a proxy that wants a login (407).`, hint: loginHint };
  if (isPage(headers) && /type=["']?password/i.test(body))
    return { problem: `${url} is answered with a login page (${status}).`, hint: loginHint };
  return null;
}

/** Redirects whose targets get a GET in place of a POST from browsers and most programs. */
const turnsIntoGet: readonly number[] = [301, 302, 303];

function findRedirect({ status, headers }: Answer, { url, route }: Asked): Obstacle {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, url)) {
    const hint = `Configure the proxy to forward ${route} instead.`;
    return { problem: `${url} answers with a redirect (${status}) without a target.`, hint };
  }
  const [from, to] = [new URL(url), new URL(location, url)];
  const kind =
    from.protocol === 'http:' && to.protocol === 'https:'
      ? ' (from http to https)'
      : from.hostname !== to.hostname
        ? ' (to another host)'
        : from.pathname !== to.pathname
          ? ' (to another path)'
          : '';
  const loss = turnsIntoGet.includes(status)
    ? 'the POST becomes a GET, or is not repeated at all'
    : 'most senders do not follow it';
  const shown = `${to.origin}${to.pathname}`;
  return {
    problem: `${url} redirects to ${shown} (${status})${kind}: ${loss}, so deliveries are lost.`,
    hint:
      from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname
        ? `Enter the https URL at the service: ${shown}`
        : `Enter the target of the redirect at the service, ${shown}, or forward ${route} without one.`,
  };
}

function findProgram({ status, headers, body }: Answer, { url, route, program }: Asked): Obstacle {
  const server = headers.get('server') ?? headers.get('x-powered-by');
  const other = server === null ? 'another program' : `another program (${server})`;
  const forward = `Configure the proxy to forward ${route} to the PORT of ${program}.`;
  if (/plain HTTP request was sent to HTTPS port/i.test(body))
    return { problem: `${url} is a port for https.`, hint: 'Write https:// in the address.' };
  if (status === 502 || status === 503 || status === 504) {
    const hint = `Start ${program}, check /readyz, and that the proxy forwards to its PORT.`;
    return { problem: `The proxy at ${url} responds with ${status}: ${program} is not running or not ready.`, hint };
  }
  if (status >= 200 && status < 300)
    return { problem: `${url} accepts whatever is sent (${status}), so it is ${other}.`, hint: forward };
  if (status === 404) return { problem: `${url} is unknown (404) to ${other}.`, hint: forward };
  if (status === 405)
    return { problem: `${url} accepts no POST (405): ${other} answers, such as one for files.`, hint: forward };
  if (status === 403) {
    const hint = `Allow this path in the proxy and its firewall. ${forward}`;
    return { problem: `${url} is forbidden (403) by ${server ?? 'a proxy or firewall'}.`, hint };
  }
  if (status === 413)
    return { problem: `The proxy at ${url} limits bodies too much (413).`, hint: 'Let it accept 64 KiB.' };
  if (status === 421 || status === 400)
    return {
      problem: `${url} is rejected by ${other} (${status}), as for another host or protocol.`,
      hint: `Check host, port and https of the address. ${forward}`,
    };
  if (status === 429)
    return { problem: `The proxy at ${url} limits requests (429).`, hint: 'Exempt this path: senders give up.' };
  return {
    problem: `${url} responds with ${status}, but not like ${program}: ${other} answers.`,
    hint: `${forward.slice(0, -1)} unchanged, without authentication of its own.`,
  };
}

/** Errors of the connection: the beginning of a code, what it means, and what to do. */
const failures: readonly (readonly [code: RegExp, problem: string, hint: string])[] = [
  [
    /CERT_HAS_EXPIRED/,
    'the certificate has expired',
    'Renew the certificate of the proxy, and check that it renews itself.',
  ],
  [
    /CERT_NOT_YET_VALID/,
    'the certificate is not valid yet',
    'Check the clock of this machine, and the certificate of the proxy.',
  ],
  [
    /ALTNAME|HOSTNAME_MISMATCH/,
    'the certificate is for another host name',
    'Get a certificate for this host, or enter the host of the certificate.',
  ],
  [
    /DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED/,
    'the certificate is signed by itself',
    'Use one of a public authority, such as Let’s Encrypt: no service accepts another.',
  ],
  [
    /UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER/,
    'the certificate comes without its chain',
    'Configure the proxy with the full chain (fullchain.pem), not with the certificate alone.',
  ],
  [
    /WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST|EPROTO/,
    'the port does not speak https',
    'Correct the port, or let the proxy accept https at this one.',
  ],
  [/CERT|SSL|TLS/, 'the certificate or TLS is not accepted', 'Renew or correct the certificate of the proxy.'],
  [/ENOTFOUND|EAI_AGAIN|EAI_/, 'the host name is unknown', 'Correct the address or its DNS record.'],
  [
    /bad port/,
    'it is a port of another protocol, which programs refuse to use for http',
    'Use 443, or a port above 1024.',
  ],
  [
    /ECONNREFUSED/,
    'nothing listens there',
    'Check the port, that the proxy is running, and that it listens to the outside.',
  ],
  [
    /ETIMEDOUT|CONNECT_TIMEOUT|HEADERS_TIMEOUT|no response in time|EHOSTUNREACH|ENETUNREACH/,
    'nothing answers in time',
    'Check host and port, the port forwarding of the router, and that the firewall allows connections.',
  ],
  [
    /HPE_|ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed/,
    'what listens there does not speak http',
    'Correct the port, or write https:// in the address.',
  ],
];

function findFailure(reason: string, { url }: Asked): Obstacle {
  const found = failures.find(([code]) => code.test(reason));
  const [, problem, hint] = found ?? [
    null,
    'there is no connection',
    'Check that the proxy is running and that the firewall allows connections.',
  ];
  return { problem: `${url} does not respond (${reason}): ${problem}.`, hint };
}

function isPage(headers: Headers): boolean {
  return headers.get('content-type')?.includes('html') === true;
}
