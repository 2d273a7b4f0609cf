import { localeNames, locales } from '../../locales.ts';
import { findById, html, render } from './element.ts';
import { postAction } from './requests.ts';
import { actingMember, localeOf, type PageStore, type Theme } from './store.ts';

/** The dialog with the languages of the acting member and of the guild, and the theme of the page. */
export function startSettings(store: PageStore): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('settings');
  const error = findById('settings-error');
  const memberLanguage = findById<HTMLSelectElement>('member-language');
  const guildLanguage = findById<HTMLSelectElement>('guild-language');
  const theme = findById<HTMLSelectElement>('theme');

  for (const select of [memberLanguage, guildLanguage]) {
    render(
      locales.map((each) => html`<option value=${each} lang=${each}>${localeNames[each]}</option>`),
      select,
    );
  }

  function draw(): void {
    findById('member-language-of').textContent = actingMember(state)?.name ?? '';
    memberLanguage.value = localeOf(state);
    guildLanguage.value = state.guildLocale;
  }

  async function send(sent: Promise<{ readonly error?: string | undefined }>): Promise<void> {
    error.textContent = (await sent).error ?? '';
  }

  memberLanguage.addEventListener('change', () => {
    void send(postAction('/page/languages', { userId: state.userId, locale: memberLanguage.value }));
  });
  guildLanguage.addEventListener('change', () => {
    void send(postAction('/page/guild-language', { locale: guildLanguage.value }));
  });
  theme.value = state.theme;
  theme.addEventListener('change', () => store.selectTheme(theme.value as Theme));
  findById('settings-open').addEventListener('click', () => {
    error.textContent = '';
    dialog.showModal();
  });
  findById('settings-close').addEventListener('click', () => dialog.close());
  store.on(['full_state', 'sidebar', 'acting'], draw);
}

const themes: readonly Theme[] = ['system', 'dark', 'light'];

/** The key in the browser's local storage. */
const storageKey = 'theme';

/** The theme that was selected in this browser. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Shows the page in the selected theme, and stores each selection. */
export function startTheme(store: PageStore): void {
  const show = () => {
    document.documentElement.dataset['theme'] = store.state.theme;
  };
  show();
  store.on(['theme'], () => {
    localStorage.setItem(storageKey, store.state.theme);
    show();
  });
}

/** Calls `show` now and whenever the page becomes light or dark. */
export function followTheme(store: PageStore, show: (isLight: boolean) => void): void {
  const systemLight = matchMedia('(prefers-color-scheme: light)');
  const update = () => {
    const { theme } = store.state;
    show(theme === 'system' ? systemLight.matches : theme === 'light');
  };
  update();
  systemLight.addEventListener('change', update);
  store.on(['theme'], update);
}
