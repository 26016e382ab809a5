// SPDX-License-Identifier: Apache-2.0
// Runs in the browser, as a plain script: modules are not loaded from a folder without a server.
(() => {
  const root = document.documentElement.dataset.root ?? '';
  const input = document.querySelector('.search input');
  const results = document.querySelector('.search ol');

  const loadScript = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}assets/${name}`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  /** The index is large: it is loaded when somebody searches. */
  let loading;
  const load = async () => {
    await Promise.all([loadScript('minisearch.js'), loadScript('search-index.js')]);
    const search = new globalThis.MiniSearch({ idField: 'url', fields: ['title', 'heading', 'text'] });
    search.addAll(globalThis.searchDocuments);
    return { search, documents: new Map(globalThis.searchDocuments.map((one) => [one.url, one])) };
  };

  const line = ({ url, title, heading }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `${root}${url}`;
    link.textContent = heading;
    if (heading !== title) {
      const page = document.createElement('span');
      page.textContent = title;
      link.append(page);
    }
    item.append(link);
    return item;
  };

  const show = async () => {
    const words = input.value.trim();
    results.hidden = words === '';
    if (words === '') return;
    loading ??= load();
    const { search, documents } = await loading;
    const options = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 3, heading: 4 } };
    const found = search.search(words, options).slice(0, 15);
    if (found.length > 0) {
      results.replaceChildren(...found.map(({ id }) => line(documents.get(id))));
      return;
    }
    const none = document.createElement('li');
    none.className = 'none';
    none.textContent = 'Nothing found.';
    results.replaceChildren(none);
  };

  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      results.hidden = true;
    } else if (event.key === 'Enter' && !results.hidden) results.querySelector('a')?.click();
  });
  results.addEventListener('click', () => {
    results.hidden = true;
  });
})();
