import { serve } from './engine/serve.js'
import { startPage } from './page.js'

// One script is both: the page, and the worker that the page makes of it.
if (typeof document === 'undefined') serve(self as unknown as Parameters<typeof serve>[0])
else void startPage(document.currentScript?.textContent ?? undefined)
