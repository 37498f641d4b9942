import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** What runs in private network namespaces, which `pnpm test:kernel` and `pnpm test:machine` run. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'real-kernel',
    include: ['test/kernel/**/*.test.ts'],
    // These tests wait for the kernel more than they compute. After the others: a number of workers asks for a turn.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
})
