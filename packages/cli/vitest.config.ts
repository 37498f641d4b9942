import { defineProject } from 'vitest/config'

export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: { name: 'cli', include: ['test/**/*.test.ts'], setupFiles: ['test/support/seed.ts'] },
})
