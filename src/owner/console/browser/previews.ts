import {
  html,
  type MessageDisplay,
  type MessageView,
  messageElement,
  nothing,
  type ShownMessage,
  styleComponents,
  toElement,
} from 'local-discord/messages/browser';
import type { DrawnMessage } from '../settings/previews-html.ts';

/** After the last change of a form (ms). */
const delayMs = 300;

const addressOf = (file: string) => new URL(file, import.meta.url).href;
const systemLight = matchMedia('(prefers-color-scheme: light)');

/** Shows the message of an article below its text, which screen readers read instead. */
function draw(article: HTMLElement): void {
  const { message, names, locale, now, sender, pictures } = JSON.parse(
    article.dataset['message'] ?? '',
  ) as DrawnMessage;
  const shown = {
    ...{ id: '', author: { username: '', bot: true }, content: '', timestamp: new Date(now).toISOString() },
    ...{ edited_timestamp: null, flags: 0, attachments: [], embeds: [] },
    ...message,
  } as ShownMessage;
  const view: MessageView = {
    locale,
    now: () => now,
    nameOf: ({ id }) => names[id],
    // The page loads nothing from elsewhere.
    pictureAt: (url) => addressOf(pictures[url] ?? 'picture.svg'),
    fileAt: () => null,
    linkTo: (url) => url,
    optionsOf: () => [],
  };
  const author = { name: sender, avatar: addressOf('icon.svg') };
  const display: MessageDisplay = { author, header: nothing, isContinued: false, isBusy: false, hasFailed: false };
  const element = messageElement(shown, display, view, { useComponent() {}, dismiss() {} });
  const drawing = toElement(
    html`<div class="discord drawing" lang=${locale} inert><discord-messages no-background .lightTheme=${systemLight.matches}>${element}</discord-messages></div>`,
  );
  article.querySelector('.drawing')?.remove();
  article.append(drawing);
  article.classList.add('drawn');
}

function drawAll(): void {
  for (const article of document.querySelectorAll<HTMLElement>('[data-message]')) {
    try {
      draw(article);
    } catch (error) {
      // Its text stays, and those of others are drawn.
      console.error(error);
    }
  }
}

/** Keeps what is shown beside a form at what is entered. */
function follow(form: HTMLFormElement, previews: HTMLElement): void {
  const list = previews.querySelector('div');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sent = new AbortController();

  async function update(): Promise<void> {
    sent.abort();
    sent = new AbortController();
    // Forms with a preview have no files.
    const values = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const response = await fetch(previews.dataset['preview'] ?? '', {
      method: 'POST',
      body: new URLSearchParams(values),
      signal: sent.signal,
    });
    if (!response.ok || list === null) return;
    const answer = (await response.json()) as { html: string };
    list.innerHTML = answer.html;
    previews.hidden = answer.html === '';
    drawAll();
  }

  // A later update, or the next change, shows what this one does not.
  const show = () => void update().catch(() => {});
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(show, delayMs);
  });
  show();
}

/** Inserts what is pressed where the cursor of its field is. */
function showChips(chips: HTMLElement): void {
  const field = document.getElementById(chips.dataset['into'] ?? '');
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  chips.hidden = false;
  chips.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    const { selectionStart, selectionEnd, value } = field;
    field.setRangeText(target.textContent ?? '', selectionStart ?? value.length, selectionEnd ?? value.length, 'end');
    field.focus();
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

styleComponents();
for (const chips of document.querySelectorAll<HTMLElement>('.chips')) showChips(chips);
systemLight.addEventListener('change', drawAll);
drawAll();
for (const previews of document.querySelectorAll<HTMLElement>('[data-preview]')) {
  const form = document.getElementById(previews.dataset['of'] ?? '');
  if (form instanceof HTMLFormElement) follow(form, previews);
}
