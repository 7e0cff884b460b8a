// Reloads a served page when its file changes.

const POLL_INTERVAL = 1000;
const STORAGE_KEY = "meshspec-view";

/** Polls the server for changes of the file. `state` is a function that returns the state to keep across a reload. */
export function reloadOnChange(state) {
  const address = location.pathname.replace("/view/", "/stamp/");
  let known = null;
  setInterval(async () => {
    try {
      const response = await fetch(address, { cache: "no-store" });
      const stamp = response.ok ? await response.text() : known;
      if (known !== null && stamp !== known) {
        sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ address, ...state() }));
        location.reload();
      }
      known = stamp;
    } catch {
      // The server has stopped, so the page stays as it is.
    }
  }, POLL_INTERVAL);
}

/** Returns the state kept across a reload; `null` if the page was not reloaded. */
export function keptState() {
  const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
  sessionStorage.removeItem(STORAGE_KEY);
  return kept?.address === location.pathname.replace("/view/", "/stamp/") ? kept : null;
}
