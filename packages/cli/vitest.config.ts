import { defineProject } from 'vitest/config'
import { shared, sharedModules } from '../../vitest.shared.js'

export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    ...shared,
    ...sharedModules,
    name: 'cli',
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
  },
})
