import type { PageStore, Theme } from './store.ts';

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
  store.subscribe(({ kind }) => {
    if (kind !== 'theme') return;
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
  store.subscribe(({ kind }) => {
    if (kind === 'theme') update();
  });
}
