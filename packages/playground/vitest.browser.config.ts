import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** Tests of the built page in a real browser, for `pnpm test:browser`. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'real-browser',
    include: ['test/**/*.browser.test.ts'],
    // After all other tests.
    sequence: { groupOrder: 2 },
  },
})
