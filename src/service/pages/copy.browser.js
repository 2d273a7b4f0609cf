/* Copies the text beside a button, and says so in it. */
for (const button of document.querySelectorAll('[data-copied]')) {
  const text = button.parentElement.querySelector('code');
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      // Without HTTPS, pages have no clipboard but that of the selection.
      getSelection().selectAllChildren(text);
      if (!document.execCommand('copy')) return;
    }
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = name;
    }, 2_000);
  });
}
