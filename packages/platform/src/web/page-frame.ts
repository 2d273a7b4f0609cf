import { type Fragment, type Html, html } from './html.ts';

/** A page without what surrounds it. */
export interface PageContent {
  readonly title: string;
  readonly body: Fragment;
  /** Further elements of the head, such as what previews of links show. */
  readonly head?: Fragment;
}

/** The parts of a page that surround its content. */
interface PageFrame {
  /** The language of the page, and of what it says first to keyboards: "Skip to content". */
  readonly lang: string;
  readonly skip: string;
  readonly title: string;
  readonly head?: Fragment;
  /** The name of the site; it follows the title. */
  readonly siteName: string;
  /** The link in the header. */
  readonly home: { readonly href: string; readonly text: Fragment };
  readonly stylesheet: string;
  /** A picture; null for the browser's default. */
  readonly icon: string | null;
  readonly navigation: Fragment;
  readonly message: FlashMessage | null;
  readonly footer: Fragment;
}

/** The complete HTML document of a page. */
export function pageFrame(frame: PageFrame, body: Fragment): Html {
  const { lang, skip, title, head = null, siteName, home, stylesheet, icon, navigation, message, footer } = frame;
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${siteName}</title>
${head}
<link rel="stylesheet" href="${stylesheet}">
${icon && html`<link rel="icon" href="${icon}">`}
</head>
<body>
<a class="skip" href="#main">${skip}</a>
<header class="top"><div class="wide">
  <a class="brand" href="${home.href}">${home.text}</a>
  ${navigation}
</div></header>
<main class="wide" id="main">
${message && flashMessage(message)}
${body}
</main>
${footer && html`<footer class="wide">${footer}</footer>`}
</body>
</html>
`;
}

/** The result of the last action, shown once above the page. */
export interface FlashMessage {
  readonly tone: 'good' | 'plain' | 'bad';
  readonly text: string;
}

/**
 * Messages by the name that a redirect carries in `notice`. Free text is never accepted, since anybody could put it
 * into a link.
 */
export type FlashMessages = Readonly<Record<string, FlashMessage>>;

/** @param name the query parameter `notice` @returns null for an unknown name */
export function findFlashMessage(messages: FlashMessages, name: unknown): FlashMessage | null {
  return typeof name === 'string' && Object.hasOwn(messages, name) ? (messages[name] ?? null) : null;
}

export function flashMessage({ tone, text }: FlashMessage): Html {
  return html`<p class="notice ${tone}" role="status">${text}</p>`;
}
