// Reloads the page when its file changes, for pages of the server.

const PERIOD = 1000;
const KEPT = "meshspec-view";

/** Asks the server for changes. `state` returns what to keep over a reload. */
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
      // The server has ended: the page stays as it is.
    }
  }, PERIOD);
}

/** Returns what a reload has kept; `null` if this is none. */
export function keptState() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  return kept?.address === location.pathname.replace("/view/", "/stamp/") ? kept : null;
}
