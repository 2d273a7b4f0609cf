/* Copies the text beside a button, and says so in it. */
for (const button of document.querySelectorAll('[data-copied]')) {
  const text = button.parentElement.querySelector('code');
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', () => {
    // Without HTTPS, pages have no clipboard but that of the selection.
    const copied = navigator.clipboard?.writeText(text.textContent) ?? Promise.reject(new Error('no clipboard'));
    copied
      .catch(() => copySelected(text))
      .then(
        () => {
          button.textContent = button.dataset.copied;
          setTimeout(() => {
            button.textContent = name;
          }, 2_000);
        },
        () => undefined,
      );
  });
}

function copySelected(text) {
  getSelection().selectAllChildren(text);
  if (!document.execCommand('copy')) throw new Error('not copied');
}
