import { defineProject } from 'vitest/config'
import { shared, sharedModules } from '../../vitest.shared.js'

/** What of the page is pure; what needs a browser is in `vitest.browser.config.ts`. */
export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    ...shared,
    ...sharedModules,
    name: 'playground',
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.browser.test.ts'],
    setupFiles: ['test/support/seed.ts'],
  },
})
