/** On a narrow screen Discord and the service take turns; a small mark says that something happened in the other one. */
export function startViews(store) {
  const app = document.querySelector('.app');
  const buttons = [...document.querySelectorAll('.views button')];

  function show(view) {
    app.dataset.view = view;
    for (const button of buttons) {
      const shown = button.dataset.show === view;
      button.setAttribute('aria-pressed', String(shown));
      if (shown) button.classList.remove('news');
    }
  }

  for (const button of buttons) button.addEventListener('click', () => show(button.dataset.show));
  store.subscribe((kind) => {
    const view = { message: 'chat', timeline: 'service' }[kind];
    const button = buttons.find((each) => each.dataset.show === view);
    if (button && app.dataset.view !== view) button.classList.add('news');
  });
}
