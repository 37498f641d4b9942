import { serve } from './engine/serve.js'
import { startPage } from './page.js'

// One script for both the page and the worker that the page creates from it.
if (typeof document === 'undefined') serve(self as unknown as Parameters<typeof serve>[0])
else void startPage(document.currentScript?.textContent ?? undefined)
