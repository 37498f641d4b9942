import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** What runs in private network namespaces, which `pnpm test:kernel` and `pnpm test:machine` run. */
export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    ...shared,
    name: 'real-kernel',
    include: ['test/kernel/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    // These tests wait for the kernel more than they compute. After the others: a number of workers asks for a turn.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
})
