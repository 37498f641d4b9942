import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** The built page in a real browser, which `pnpm test:browser` runs. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'real-browser',
    include: ['test/**/*.browser.test.ts'],
    // One browser at a time, after all other tests.
    fileParallelism: false,
    sequence: { groupOrder: 2 },
  },
})
