// Reloads pages of the server when their file changes.

const PERIOD = 1000;
const KEPT = "meshspec-view";

/** Polls the server for changes. `state` returns the state to keep across a reload. */
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
      // The server has stopped: keeps the page.
    }
  }, PERIOD);
}

/** Returns the state kept across a reload; `null` otherwise. */
export function keptState() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  return kept?.address === location.pathname.replace("/view/", "/stamp/") ? kept : null;
}
