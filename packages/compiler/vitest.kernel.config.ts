import { defineProject } from 'vitest/config'

/** What runs in private network namespaces: `--project kernel` for it alone, `--project '!kernel'` for the rest. */
export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    name: 'kernel',
    include: ['test/kernel/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // These tests wait for the kernel more than they compute. After the others: a number of workers asks for a turn.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
})
