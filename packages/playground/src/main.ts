import { serveRequests } from './engine/serve.js'
import { startPage } from './page.js'

// One script for both the page and the worker that the page creates from it.
if (typeof document === 'undefined') serveRequests(self as unknown as Parameters<typeof serveRequests>[0])
else void startPage(document.currentScript?.textContent ?? undefined)
