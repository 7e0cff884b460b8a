// Reloads a served page when its file changes.

const PERIOD = 1000;
const KEPT = "meshspec-view";

/** Polls the server for changes of the file. `state` is a function that returns the state to keep across a reload. */
export function reloadOnChange(state) {
  const address = location.pathname.replace("/view/", "/stamp/");
  let known = null;
  setInterval(async () => {
    try {
      const response = await fetch(address, { cache: "no-store" });
      const stamp = response.ok ? await response.text() : known;
      if (known !== null && stamp !== known) {
        sessionStorage.setItem(KEPT, JSON.stringify({ address, ...state() }));
        location.reload();
      }
      known = stamp;
    } catch {
      // The server has stopped, so the page stays as it is.
    }
  }, PERIOD);
}

/** Returns the state kept across a reload; `null` if the page was not reloaded. */
export function keptState() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  return kept?.address === location.pathname.replace("/view/", "/stamp/") ? kept : null;
}
