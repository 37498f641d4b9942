import { serveRequests } from './engine/serve.js'
import { startPage } from './page.js'

// One script for both the page and the worker that the page creates from it.
if (typeof document === 'undefined') serveRequests(self as unknown as Parameters<typeof serveRequests>[0])
else {
  const script = document.currentScript?.textContent ?? undefined
  callAfterPaint(() => void startPage(script))
}

/**
 * Calls `start` after the first paint of the static page. A hidden page is not painted, so `start` is called
 * immediately.
 */
function callAfterPaint(start: () => void): void {
  if (document.hidden) start()
  else requestAnimationFrame(() => setTimeout(start))
}
