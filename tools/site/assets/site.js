// SPDX-License-Identifier: Apache-2.0
// Runs in the browser, as a plain script: modules are not loaded from a folder without a server.
(() => {
  const menu = document.querySelector('nav');
  const button = document.querySelector('.menu');
  button.addEventListener('click', () => {
    button.setAttribute('aria-expanded', String(menu.classList.toggle('open')));
  });

  for (const code of document.querySelectorAll('pre > code.language-sh, pre > code.language-yaml')) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    copy.addEventListener('click', () => {
      void navigator.clipboard.writeText(code.textContent).then(() => {
        copy.textContent = 'Copied';
      });
    });
    code.parentElement.prepend(copy);
  }

  if (globalThis.mermaid) {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    globalThis.mermaid.initialize({ startOnLoad: true, securityLevel: 'strict', theme: isDark ? 'dark' : 'neutral' });
  }
})();
