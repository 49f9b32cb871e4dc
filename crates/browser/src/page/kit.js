// What the Rust side needs in every document beside the functions of inject/.
({
  origin() {
    return location.origin;
  },
  // {url, title, ready, status}: `status` is 0 where the answer did not come over HTTP.
  page_facts() {
    const [entry] = performance.getEntriesByType("navigation");
    return { url: location.href, title: document.title, ready: document.readyState, status: entry?.responseStatus ?? 0 };
  },
})
