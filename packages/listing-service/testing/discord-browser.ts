import type { Answered } from './running.ts';

/** A browser with its cookies, which follows links to other hosts as well. */
export interface Browser {
  open(
    url: string,
    init?: { method?: string; headers?: Record<string, string>; body?: URLSearchParams },
  ): Promise<Answered & { readonly location: string }>;
  cookie(name: string): string | undefined;
  /** The names of the cookies. */
  cookieNames(): string[];
}

/** @param fixed cookies at the start, by name */
export function browser(fixed: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map(Object.entries(fixed));
  return {
    async open(url, init = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const { status, headers } = response;
      return { status, headers, text: await response.text(), json: {}, location: headers.get('location') ?? '' };
    },
    cookie: (name) => cookies.get(name),
    cookieNames: () => [...cookies.keys()],
  };
}
