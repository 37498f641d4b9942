import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** Tests in private network namespaces, for `pnpm test:kernel` and `pnpm test:machine`. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'real-kernel',
    include: ['test/kernel/**/*.test.ts'],
    // These tests mostly wait for the kernel. They run after the rest, because a worker limit requires a separate
    // group.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
})
